/** Called once at the start, in the first load: commands, drop targets and the like. Heavy parts are imported when they are used. */
export function register(): void {}
