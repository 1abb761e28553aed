/** Called once at the start, in the first load. The page brings its own commands with it. */
export function register(): void {}
