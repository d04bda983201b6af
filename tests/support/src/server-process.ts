import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The server as people start it; benchmarks that compare two commits name that of another checkout. */
export const SERVER_MAIN =
  process.env['HOLDFAST_SERVER_MAIN'] ?? fileURLToPath(new URL('../../../server/dist/cli/main.js', import.meta.url))

/** How long a start may take, in milliseconds; the first one makes a database. */
const START_TIMEOUT_MS = 180_000

/** The line of JSON that `start --json` prints when it is ready. */
export interface ReadyLine {
  /** The server's address. */
  readonly base: string
  /** Postgres, as the role that projects act as. */
  readonly db: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  /** Opens the sample, signed in: once, within ten minutes of the start. */
  readonly welcome?: string
  /** Creates the console's first operator, once. */
  readonly console?: string
  /** What S3 clients need to act as `service_role`. */
  readonly s3: {
    readonly endpoint: string
    readonly region: string
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
}

export interface ServerProcess {
  readonly child: ChildProcess
  readonly ready: ReadyLine
  /** What it wrote to stderr so far. */
  log(): string
  /** Ends it; resolves when it is gone. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/**
 * Starts `holdfast start --json` and waits until it is ready.
 *
 * @param program - the installed program to start instead of the build of this repository
 */
export async function startServer(args: readonly string[], cwd: string, program?: string): Promise<ServerProcess> {
  const command = program === undefined ? [process.execPath, SERVER_MAIN] : [program]
  const child = spawn(command[0] ?? '', [...command.slice(1), 'start', '--json', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // For profiles of the server: `--cpu-prof --cpu-prof-dir=…`, say.
    env: { ...process.env, NODE_OPTIONS: process.env['HOLDFAST_SERVER_NODE_OPTIONS'] ?? '' },
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-100_000)))
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  async function kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
  }

  try {
    return { child, ready: await readReadyLine(child, gone, () => log), log: () => log, kill }
  } catch (error) {
    await kill('SIGKILL')
    throw error
  }
}

/**
 * Runs another command of the program, such as `backup`, and waits for its end.
 *
 * @returns what it wrote to stdout
 * @throws when its exit code is not 0, with what it wrote to stderr
 */
export async function runHoldfast(...argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SERVER_MAIN, ...argv])
  return stdout
}

function readReadyLine(child: ChildProcess, gone: Promise<void>, log: () => string): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the server ${why}:\n${log()}`))
    const timer = setTimeout(() => fail(`was not ready after ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const line = text.split('\n').find((candidate) => candidate.startsWith('{') && candidate.endsWith('}'))
      if (line === undefined) return
      clearTimeout(timer)
      resolve(JSON.parse(line) as ReadyLine)
    })
    void gone.then(() => {
      clearTimeout(timer)
      fail('ended before it was ready')
    })
  })
}
