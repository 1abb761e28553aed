/** Called once, as soon as the page has been drawn. The page brings its own commands with it. */
export function register(): void {}
