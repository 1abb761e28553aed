/** Called once at the start, in the first load. The palette finds tasks by itself, and the page brings its keys with it. */
export function register(): void {}
