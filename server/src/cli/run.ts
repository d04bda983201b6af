import { HoldfastError } from '@holdfast/foundation'
import { nearest } from '../config/names.ts'
import { printHelp, printReference } from '../config/print-reference.ts'
import { VERSION } from '../version.ts'
import { FIRST_WORDS, printCommands } from './commands.ts'
import { explain } from './explain.ts'

/**
 * Runs one command.
 *
 * @param argv - what follows the program's name
 * @returns the exit code; what failed has been written to stderr
 */
export async function run(argv: readonly string[]): Promise<number> {
  // Whoever read our output may be gone. Unheard, the failure to write would count as a bug, and telling of the bug would fail again, without end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const out = (text: string): void => void process.stdout.write(text)
  const err = (text: string): void => void process.stderr.write(text)
  try {
    const [command, ...rest] = argv
    if (command === '--version' || command === '-v') {
      out(`${VERSION}\n`)
      return 0
    }
    if (command === undefined || command === 'help' || asksForHelp(argv)) {
      out(rest.includes('--markdown') ? printReference() : printHelp(printCommands()))
      return 0
    }
    if (command === 'start') return await (await import('./start.ts')).start({ argv: rest, env: process.env, out, err })
    if (command === 'dev') return await (await import('./dev.ts')).dev({ argv: rest, env: process.env, out, err })
    if (command === 'init') return (await import('./init.ts')).init({ argv: rest, env: process.env, out, err })
    if (command === 'stop') return await (await import('./stop.ts')).stop({ argv: rest, env: process.env, out, err })
    if (command === 'status')
      return await (await import('./status.ts')).status({ argv: rest, env: process.env, out, err })
    if (command === 'doctor')
      return await (await import('./doctor/doctor.ts')).doctor({ argv: rest, env: process.env, out, err })
    if (command === 'gen') return await (await import('./gen.ts')).gen({ argv: rest, env: process.env, out, err })
    if (command === 'sync')
      return await (await import('./sync/run-sync.ts')).runSync({ argv: rest, env: process.env, out, err })
    if (command === 'functions')
      return await (await import('./functions.ts')).functions({ argv: rest, env: process.env, out, err })
    if (command === 'secrets')
      return (await import('./secrets/secrets.ts')).secrets({ argv: rest, env: process.env, out, err })
    if (command === 'keys') return await (await import('./keys.ts')).keys({ argv: rest, env: process.env, out, err })
    if (command === 'storage')
      return await (await import('./storage.ts')).storage({ argv: rest, env: process.env, out, err })
    if (command === 'migration')
      return await (await import('./migration.ts')).migration({ argv: rest, env: process.env, out, err })
    if (command === 'db') return await (await import('./db.ts')).db({ argv: rest, env: process.env, out, err })
    if (command === 'dump')
      return await (await import('./db.ts')).db({ argv: ['dump', ...rest], env: process.env, out, err })
    if (command === 'seed')
      return await (await import('./apply-seeds.ts')).seed({ argv: rest, env: process.env, out, err })
    if (command === 'test')
      return await (await import('./test/test.ts')).test({ argv: rest, env: process.env, out, err })
    if (command === 'backup')
      return await (await import('./backup.ts')).backup({ argv: rest, env: process.env, out, err })
    if (command === 'restore')
      return await (await import('./backup.ts')).restore({ argv: rest, env: process.env, out, err })
    if (command === 'migrate')
      return await (await import('./migrate.ts')).migrate({ argv: rest, env: process.env, out, err })
    if (command === 'export')
      return await (await import('./export.ts')).exportProject({ argv: rest, env: process.env, out, err })
    if (command === 'completion')
      return (await import('./completion.ts')).completion({ argv: rest, env: process.env, out, err })
    // Started by `@holdfast/testing`, and no command for people.
    if (command === 'test-host') return await (await import('../testing/test-host.ts')).runTestHost(rest)
    throw unknownCommand(command, argv)
  } catch (error) {
    err(explain(error))
    return 1
  }
}

function unknownCommand(command: string, argv: readonly string[]): HoldfastError {
  if (command.startsWith('-')) {
    return new HoldfastError('command_unknown', 500, `${command} is an option, and there is no command before it.`, {
      hint: `Write "holdfast start ${argv.join(' ')}", or another command: "holdfast help" lists them.`,
    })
  }
  const meant = nearest(command, FIRST_WORDS)
  return new HoldfastError('command_unknown', 500, `"${command}" is not a command.`, {
    hint: meant ? `Did you mean "holdfast ${meant}"?` : 'Run "holdfast help" for a list.',
  })
}

/** What follows `--` is of another program. */
function asksForHelp(argv: readonly string[]): boolean {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return own.includes('--help') || own.includes('-h')
}
