// However this process ends, its end of the pipe is closed, and with it the command.
const script = 'exec 3<&0; { cat <&3 >/dev/null; kill -9 $$ 2>/dev/null; } & exec "$@" </dev/null 3<&-'

/** What to give to `sh` for a command that cannot be asked to end with this process. Its input must be a pipe. */
export const guarded = (command: string, args: readonly string[]): string[] => ['-c', script, 'sh', command, ...args]
