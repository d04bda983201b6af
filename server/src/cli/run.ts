import { COMMANDS } from './commands/commands.ts'
import { explain } from './explain.ts'
import { parseCommandLine } from './program.ts'

/**
 * Runs one command.
 *
 * @param argv - after the program name
 * @returns the exit code; errors have been printed to stderr
 */
export async function run(argv: readonly string[]): Promise<number> {
  // The reader of our output may be gone. An unhandled write error would count as a bug, whose report would fail again, endlessly.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const out = (text: string): void => void process.stdout.write(text)
  const err = (text: string): void => void process.stderr.write(text)
  try {
    // Started by `@holdfast/testing`; not a public command.
    if (argv[0] === 'test-host') return await (await import('../testing/test-host.ts')).runTestHost(argv.slice(1))
    const parsed = parseCommandLine(argv)
    if (parsed.kind === 'command')
      return await parsed.entry.run({ words: parsed.words, flags: parsed.flags, env: process.env, out, err }, COMMANDS)
    const write = parsed.exitCode === 0 ? out : err
    write(parsed.text)
    return parsed.exitCode
  } catch (error) {
    err(explain(error))
    return 1
  }
}
