/** Called once, as soon as the page has been drawn. The palette finds tasks by itself, and the page brings its keys with it. */
export function register(): void {}
