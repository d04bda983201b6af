import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { defined, delay, type LogLevel } from '@holdfast/foundation'
import {
  BOOT_MS,
  END_REASON_MS,
  KEEP_CONNECTION_MS,
  LISTEN_MS,
  LOG_LINE_CHARACTERS_MAX,
  LOG_LINES_MAX,
  LOG_WINDOW_MS,
  REQUESTS_PER_FUNCTION_MAX,
  UNLOAD_MS,
} from '../limits.ts'
import type { ImportMap } from '../project/import-map.ts'
import { onLines } from './lines.ts'
import { commandOf, type Program } from './program.ts'
import type { RunFolder } from './run-folder.ts'
import { watchUsage } from './watch-usage.ts'

/** Why a process ended or is to end. The last four are reasons in `beforeunload`. */
export type EndReason = 'crash' | 'memory' | 'cpu' | 'disk' | 'wall_clock' | 'early_drop' | 'termination'

/** A line printed by a function. */
export interface LogLine {
  readonly level: LogLevel
  readonly text: string
  readonly requestId: string | undefined
}

/** The function failed to start. */
export class BootFailure extends Error {
  /** Whether its own code threw, as opposed to a loading error. */
  readonly isThrown: boolean

  constructor(message: string, isThrown: boolean) {
    super(message)
    this.isThrown = isThrown
  }
}

export interface SpawnOptions {
  readonly program: Program
  readonly runFolder: RunFolder
  readonly home: string
  readonly directory: string
  readonly deniedPaths: readonly string[]
  readonly importMap: ImportMap
  readonly denoConfig: string | undefined
  readonly memoryMb: number
  readonly cpuMs: number
  /** Set for a process being debugged, which has no time limits. */
  readonly inspectFlag: string | undefined
}

/** Messages from the process; see `runtime/bootstrap.js`. */
type Message =
  | { readonly kind: 'waiting' | 'serving' | 'loaded' | 'busy' | 'idle' | 'beat' | 'full' }
  | { readonly kind: 'pong'; readonly id: number }
  | { readonly kind: 'failed'; readonly isThrown: boolean; readonly text: string }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly text: string; readonly requestId?: string }

/** Message limit in characters, for a log line with every character escaped. */
const MESSAGE_CHARACTERS_MAX = 8 * LOG_LINE_CHARACTERS_MAX

/** A Deno process. It waits for its function and serves it until its end. */
export class Worker implements AsyncDisposable {
  readonly id = randomUUID()
  readonly socketPath: string
  /** HTTP connections to it. */
  readonly pool: Pool
  /** When its function was loaded, by `performance.now()`. */
  startedAt = performance.now()
  readonly ended: Promise<EndReason>
  /** Open requests. */
  open = 0
  /** Whether promises passed to `EdgeRuntime.waitUntil` are pending. */
  isBusy = false
  lastUsedAt = performance.now()
  onLog: (line: LogLine) => void = () => undefined

  readonly #child: ChildProcess
  readonly #folder: string
  readonly #mark = `\u0001${randomUUID()} `
  readonly #usage: ReturnType<typeof watchUsage>
  #reason: EndReason | undefined
  #hasEnded = false
  #isUnloading = false
  readonly #isInspected: boolean
  #boot = Promise.withResolvers<void>()
  #pings = 0
  #pong: (id: number) => void = () => undefined
  #checking: Promise<void> | undefined
  #printed = { since: 0, lines: 0 }

  constructor(options: SpawnOptions) {
    const { program, runFolder, importMap } = options
    this.#isInspected = options.inspectFlag !== undefined
    this.#folder = runFolder.create(this.id.slice(0, 8))
    this.socketPath = join(this.#folder, 's')
    // Timeouts are the caller's decision.
    this.pool = new Pool('http://function', {
      socketPath: this.socketPath,
      connections: REQUESTS_PER_FUNCTION_MAX,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_CONNECTION_MS,
    })
    const map = join(this.#folder, 'import-map.json')
    writeFileSync(map, JSON.stringify(importMap), { mode: 0o600 })
    if (program.owner) chownSync(map, program.owner.uid, program.owner.gid)
    const command = commandOf(program, { ...options, folder: this.#folder, socket: this.socketPath, importMap: map })
    this.#boot.promise.catch(() => undefined) // a waiting process may end before anyone awaits it
    this.#child = spawn(command.file, command.args, {
      cwd: this.#folder,
      env: command.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...command.user,
    })
    this.#listen()
    const pid = this.#child.pid
    if (pid !== undefined) runFolder.note(pid)
    this.#usage = watchUsage({
      pid,
      folder: this.#folder,
      memoryBytesMax: options.memoryMb * 1024 * 1024,
      cpuMsMax: options.inspectFlag === undefined ? options.cpuMs : Infinity,
      beat: () => this.#send({ kind: 'beat' }),
      onExceeded: (reason) => this.kill(reason),
      onUnmeasured: (reason) =>
        this.#log({
          level: 'error',
          text: `ended, because its disk usage cannot be measured: ${reason}`,
          requestId: undefined,
        }),
    })
    this.ended = new Promise((resolve) => {
      const finish = (signal: string | null): void => {
        if (this.#hasEnded) return
        this.#hasEnded = true
        this.#usage[Symbol.dispose]()
        if (pid !== undefined) runFolder.forget(pid)
        rmSync(this.#folder, { recursive: true, force: true })
        const reason = this.#reason ?? this.#usage.reasonOfEnd(signal)
        this.#boot.reject(new BootFailure(`its process ended (${reason})`, true))
        resolve(reason)
      }
      this.#child.once('error', (error) => {
        this.#boot.reject(new BootFailure(`Deno could not be started: ${error.message}`, false))
        finish(null)
      })
      // Its last output, which shows whether it ran out of memory, may arrive after its exit.
      this.#child.once('close', (_code, signal) => finish(signal))
    })
    this.#send({ kind: 'hello', mark: this.#mark })
  }

  /** Resident memory at the last poll. */
  get memoryBytes(): number {
    return this.#usage.memoryBytes()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Loads a function.
   *
   * @throws {BootFailure}
   */
  async load(entry: string, environment: Readonly<Record<string, string>>): Promise<void> {
    this.#send({ kind: 'load', entry, environment, folder: this.#folder })
    const giveUp = (): void =>
      this.#boot.reject(new BootFailure(`it did not start serving within ${BOOT_MS / 1_000} s`, false))
    const late = this.#isInspected ? undefined : setTimeout(giveUp, BOOT_MS)
    try {
      await this.#boot.promise
    } catch (error) {
      this.kill('termination')
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  /** Call after a broken connection: the process may be ending, which is reported slightly later. */
  suspect(): void {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
  }

  /** Resolves once it is known whether a suspected process has ended. */
  async checked(): Promise<void> {
    await this.#checking
  }

  async #check(): Promise<void> {
    const id = ++this.#pings
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    this.#pong = (found) => found === id && resolve()
    this.#send({ kind: 'ping', id })
    await Promise.race([answered, this.ended, delay(END_REASON_MS)])
  }

  /** Announces the end to the function, then ends it. */
  async unload(reason: EndReason): Promise<void> {
    if (this.#hasEnded || this.#isUnloading) return
    this.#isUnloading = true
    this.#send({ kind: 'unload', reason })
    await Promise.race([this.ended, delay(UNLOAD_MS)])
    this.kill(reason)
    await this.ended
  }

  /** Ends it immediately. The first reason given is kept. */
  kill(reason: EndReason): void {
    if (this.#hasEnded) return
    this.#reason ??= reason
    this.#child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('termination')
    await this.ended
    await this.pool.destroy()
  }

  #send(message: object): void {
    const { stdin } = this.#child
    if (stdin?.writable === true) stdin.write(`${JSON.stringify(message)}\n`)
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child
    stdin?.on('error', () => undefined) // it has ended, which is reported separately
    onLines(defined(stdout ?? undefined, 'it is a pipe'), MESSAGE_CHARACTERS_MAX, (line) => {
      // Output without a line break may precede the message.
      const at = line.indexOf(this.#mark)
      const message = at < 0 ? undefined : parseMessage(line.slice(at + this.#mark.length))
      const printed = message ? line.slice(0, at) : line
      if (printed !== '' || !message) this.#log({ level: 'info', text: printed, requestId: undefined })
      if (message) this.#hear(message)
    })
    onLines(defined(stderr ?? undefined, 'it is a pipe'), LOG_LINE_CHARACTERS_MAX, (line) => {
      this.#usage.noteStderr(line)
      this.#log({ level: 'error', text: line, requestId: undefined })
    })
  }

  #hear(message: Message): void {
    switch (message.kind) {
      case 'waiting':
        break
      case 'serving':
        this.#boot.resolve()
        break
      case 'loaded':
        void this.#awaitSocket()
        break
      case 'failed':
        this.#boot.reject(new BootFailure(message.text, message.isThrown))
        break
      case 'busy':
      case 'idle':
        this.isBusy = message.kind === 'busy'
        break
      case 'beat':
        this.#usage.noteBeat()
        break
      case 'pong':
        this.#pong(message.id)
        break
      case 'full':
        this.kill('memory')
        break
      case 'log':
        this.#log({ level: message.level, text: message.text, requestId: message.requestId })
        break
      default:
        message satisfies never
    }
  }

  /** Polls, because `node:http` servers do not report that they listen. */
  async #awaitSocket(): Promise<void> {
    const deadline = performance.now() + LISTEN_MS
    while (!existsSync(this.socketPath)) {
      if (this.#hasEnded) return
      if (performance.now() > deadline) {
        this.#boot.reject(new BootFailure('it was loaded but does not serve: call Deno.serve', false))
        return
      }
      await delay(10)
    }
    this.#boot.resolve()
  }

  #log(line: LogLine): void {
    const now = performance.now()
    if (now - this.#printed.since > LOG_WINDOW_MS) this.#printed = { since: now, lines: 0 }
    this.#printed.lines += 1
    if (this.#printed.lines > LOG_LINES_MAX) return
    const isLast = this.#printed.lines === LOG_LINES_MAX
    this.onLog(isLast ? { ...line, level: 'warn', text: 'it prints too much: lines are dropped' } : line)
  }
}

/** @returns `undefined` for a message garbled by output of another thread */
function parseMessage(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message
  } catch {
    return undefined
  }
}
