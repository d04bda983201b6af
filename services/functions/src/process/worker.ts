import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { type LogLevel, defined, delay, parseJson } from '@holdfast/foundation'
import {
  BOOT_MS,
  KEEP_CONNECTION_MS,
  LISTEN_MS,
  LOG_LINE_CHARACTERS_MAX,
  REQUESTS_PER_FUNCTION_MAX,
  UNLOAD_MS,
} from '../limits.ts'
import type { ImportMap } from '../project/import-map.ts'
import { onLines } from './lines.ts'
import { LivenessCheck } from './liveness-check.ts'
import { limitLines, type LogLine } from './log-limit.ts'
import { commandOf, type Program } from './program.ts'
import type { RunFolder } from './run-folder.ts'
import { watchUsage } from './watch-usage.ts'
import { STARTED, transition, type EndReason, type WorkerEffect, type WorkerEvent } from './worker-state.ts'

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
  readonly ended: Promise<EndReason>
  onLog: (line: LogLine) => void = () => undefined

  readonly #child: ChildProcess
  readonly #folder: string
  readonly #mark = `\u0001${randomUUID()} `
  readonly #usage: ReturnType<typeof watchUsage>
  readonly #isInspected: boolean
  readonly #forgetPid: () => void
  readonly #boot = Promise.withResolvers<void>()
  readonly #end = Promise.withResolvers<EndReason>()
  readonly #liveness = new LivenessCheck((id) => this.#send({ kind: 'ping', id }), this.#end.promise)
  readonly #log = limitLines((line) => this.onLog(line))
  #state = STARTED

  constructor(options: SpawnOptions) {
    const { program, runFolder, importMap } = options
    this.ended = this.#end.promise
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
    this.#forgetPid = () => pid !== undefined && runFolder.forget(pid)
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
    this.#child.once('error', (error) => {
      this.#failBoot(`Deno could not be started: ${error.message}`, false)
      this.#exited(null)
    })
    // Its last output, which shows whether it ran out of memory, may arrive after its exit.
    this.#child.once('close', (_code, signal) => this.#exited(signal))
    this.#send({ kind: 'hello', mark: this.#mark })
  }

  /** Resident memory at the last poll. */
  get memoryBytes(): number {
    return this.#usage.memoryBytes()
  }

  get hasEnded(): boolean {
    return this.#state.end.kind === 'ended'
  }

  /** Whether promises passed to `EdgeRuntime.waitUntil` are pending. */
  get isBusy(): boolean {
    return this.#state.isBusy
  }

  /**
   * Loads a function.
   *
   * @throws {BootFailure}
   */
  async load(entry: string, environment: Readonly<Record<string, string>>): Promise<void> {
    this.#send({ kind: 'load', entry, environment, folder: this.#folder })
    const giveUp = (): void => this.#failBoot(`it did not start serving within ${BOOT_MS / 1_000} s`, false)
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
    this.#liveness.begin()
  }

  /** Resolves once it is known whether a suspected process has ended. */
  checked(): Promise<void> {
    return this.#liveness.settled()
  }

  /** Announces the end to the function, then ends it a moment later. */
  unload(reason: EndReason): void {
    this.#dispatch({ kind: 'unload requested', reason })
  }

  /** Ends it immediately. The first reason given is kept. */
  kill(reason: EndReason): void {
    this.#dispatch({ kind: 'kill requested', reason })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('termination')
    await this.ended
    await this.pool.destroy()
  }

  #dispatch(event: WorkerEvent): void {
    const { state, effects } = transition(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: WorkerEffect): void {
    switch (effect.kind) {
      case 'resolve boot':
        this.#boot.resolve()
        break
      case 'reject boot':
        this.#boot.reject(new BootFailure(effect.message, effect.isThrown))
        break
      case 'announce end':
        void this.#announceEnd(effect.reason)
        break
      case 'kill':
        this.#child.kill('SIGKILL')
        break
      case 'release everything':
        this.#usage[Symbol.dispose]()
        this.#forgetPid()
        rmSync(this.#folder, { recursive: true, force: true })
        this.#end.resolve(effect.reason)
        break
      default:
        effect satisfies never
    }
  }

  async #announceEnd(reason: EndReason): Promise<void> {
    this.#send({ kind: 'unload', reason })
    await Promise.race([this.ended, delay(UNLOAD_MS)])
    this.kill(reason)
  }

  #failBoot(message: string, isThrown: boolean): void {
    this.#dispatch({ kind: 'boot failed', message, isThrown })
  }

  #exited(signal: string | null): void {
    this.#dispatch({ kind: 'exited', reason: this.#usage.reasonOfEnd(signal) })
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
      const message = at < 0 ? undefined : (parseJson(line.slice(at + this.#mark.length)) as Message | undefined)
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
        this.#dispatch({ kind: 'serves' })
        break
      case 'loaded':
        void this.#awaitSocket()
        break
      case 'failed':
        this.#failBoot(message.text, message.isThrown)
        break
      case 'busy':
      case 'idle':
        this.#dispatch({ kind: message.kind })
        break
      case 'beat':
        this.#usage.noteBeat()
        break
      case 'pong':
        this.#liveness.answered(message.id)
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
      if (this.hasEnded) return
      if (performance.now() > deadline) {
        this.#failBoot('it was loaded but does not serve: call Deno.serve', false)
        return
      }
      await delay(10)
    }
    this.#dispatch({ kind: 'serves' })
  }
}
