/** A file and the folder that it came from, with a slash at its end; empty for a file by itself. */
export interface CollectedFile {
  readonly file: File;
  readonly folder: string;
}

/** Files that systems leave in folders for themselves; nobody means to upload them. */
const LEFT_OUT = new Set(['.DS_Store', 'desktop.ini']);

/** As a person counts: plate-9 before plate-10. */
const { compare: byName } = new Intl.Collator('en', { numeric: true });

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

/** A reader hands out at most 100 entries a call, and an empty list at the end. */
async function entriesOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function walk(entry: FileSystemEntry, folder: string): Promise<CollectedFile[]> {
  if (isFile(entry)) {
    if (LEFT_OUT.has(entry.name)) return [];
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ file, folder }];
  }
  if (!isDirectory(entry)) return [];
  const children = await entriesOf(entry);
  children.sort((a, b) => byName(a.name, b.name));
  const collected: CollectedFile[] = [];
  for (const child of children) collected.push(...(await walk(child, `${folder}${entry.name}/`)));
  return collected;
}

/** The files of a drop or a paste, folders walked to their ends. The data is read before the first wait, as browsers empty it then. */
export function collectTransfer(data: DataTransfer): Promise<CollectedFile[]> {
  const entries = [...data.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null)).filter((entry) => entry !== null);
  const files = [...data.files];
  if (entries.length === 0) return Promise.resolve(files.map((file) => ({ file, folder: '' })));
  return Promise.all(entries.map((entry) => walk(entry, ''))).then((lists) => lists.flat());
}

/** The files of a chooser; a folder chooser tells each file's path. */
export function collectFiles(files: Iterable<File>): CollectedFile[] {
  return [...files]
    .filter((file) => !LEFT_OUT.has(file.name))
    .map((file) => {
      const path = file.webkitRelativePath;
      return { file, folder: path.slice(0, Math.max(0, path.length - file.name.length)) };
    })
    .sort((a, b) => byName(a.folder + a.file.name, b.folder + b.file.name));
}
