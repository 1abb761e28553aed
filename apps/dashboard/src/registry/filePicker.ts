/** Opens the browser's file chooser, for a button outside the upload page such as the first run's. */
let choose: (() => void) | null = null;

/** The upload feature's register.ts calls this once. */
export function registerFilePicker(open: () => void): () => void {
  choose = open;
  return () => {
    if (choose === open) choose = null;
  };
}

/** Opens the chooser. False where no feature has one, and then the caller goes to the upload page instead. */
export function chooseFiles(): boolean {
  if (choose === null) return false;
  choose();
  return true;
}
