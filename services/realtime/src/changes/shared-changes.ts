import type { ChangeTap, ReplicationEvent } from '@holdfast/replication'
import type { Bus } from '../bus/bus.ts'
import { SHARED_CHECK_MS, SHARED_READY_MS, WANTED_TABLES_MAX } from '../limits.ts'
import { ChangeForwarder } from './change-forwarder.ts'
import { localChanges, type ChangeSource, type SourceListener, type WantedTables } from './change-source.ts'
import { encodeEvents, EventDecoder } from './encode-events.ts'

/** Not channels of clients, whose names begin with `public:` or `private:`. */
const WANTED = 'changes:wanted'
const EVENTS = 'changes:events'
const CONTROL = 'changes:control'

/** Longer names are none of Postgres. */
const NAME_BYTES_MAX = 63

const LOST = 'Changes may be missing: join again'

interface Wish {
  readonly node: string
  readonly number: number
  readonly tables: readonly WantedTables[]
}

type Control =
  /** The answer to a wish: from now on, the changes of its tables are passed on. The session changes when that was interrupted. */
  | { readonly kind: 'from'; readonly to: string; readonly number: number; readonly session: number }
  /** A transaction was too large. */
  | { readonly kind: 'lost' }

interface Reader {
  readonly node: string
  readonly session: number
}

export interface SharedChangesOptions {
  readonly tap: Pick<ChangeTap, 'listen'>
  readonly bus: Bus
  /** Name of this node of the bus. */
  readonly node: string
  /** Whether another server reads the changes. */
  readonly isStandby: () => boolean
  /** Whether this server reads them. Neither is certain while it starts. */
  readonly isReader: () => boolean
}

/**
 * Changes as any server of the database reads them: this one from its tap, others over the bus. The server that reads them passes on those of the tables that
 * others want, once for all. Losses and a change of the reader are reported, because changes in between may be missing.
 */
export class SharedChanges implements ChangeSource, Disposable {
  readonly #options: SharedChangesOptions
  readonly #node: string
  readonly #decoder = new EventDecoder()
  readonly #forwarder: ChangeForwarder
  readonly #subscriptions: readonly Disposable[]
  readonly #waiting = new Set<{ readonly number: number; readonly resolve: (isReady: boolean) => void }>()
  #listener: SourceListener | undefined
  #wishes = 0
  /** `undefined` until it has answered. */
  #reader: Reader | undefined
  /** Whether the events until the next transaction are left out. */
  #isCut = true
  #wasStandby = false

  constructor(options: SharedChangesOptions) {
    this.#options = options
    this.#node = options.node
    this.#forwarder = new ChangeForwarder({
      tap: options.tap,
      pass: (events) => this.#send(EVENTS, encodeEvents(events)),
      passLoss: () => this.#control({ kind: 'lost' }),
    })
    this.#subscriptions = [
      this.#receive(WANTED, (_node, text) => this.#answer(JSON.parse(text) as Wish)),
      this.#receive(CONTROL, (node, text) => this.#handle(node, JSON.parse(text) as Control)),
      this.#receive(EVENTS, (node, text) => {
        if (this.#follows(node)) this.#tell(this.#decoder.decode(text))
      }),
      options.bus.watchLosses((node) => {
        if (node === undefined || this.#follows(node)) this.#lose()
      }),
    ]
  }

  listen(listener: SourceListener): Disposable {
    this.#listener = listener
    this.#reader = undefined
    this.#wasStandby = this.#options.isStandby()
    const local = localChanges(this.#options.tap).listen(listener)
    const timer = setInterval(() => this.#check(), SHARED_CHECK_MS)
    timer.unref()
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer)
        local[Symbol.dispose]()
        this.#listener = undefined
      },
    }
  }

  async ready(): Promise<boolean> {
    if (!this.#options.isStandby()) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting = { number: this.#wishes + 1, resolve }
    this.#waiting.add(waiting)
    this.#wish()
    const timer = setTimeout(() => resolve(false), SHARED_READY_MS)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    }
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const { resolve } of this.#waiting) resolve(false)
    this.#forwarder[Symbol.dispose]()
  }

  /** Renews the wish, and reports that the reader has changed. */
  #check(): void {
    const isStandby = this.#options.isStandby()
    if (isStandby !== this.#wasStandby) {
      this.#reader = undefined
      this.#lose()
    }
    this.#wasStandby = isStandby
    if (isStandby) this.#wish()
  }

  #wish(): void {
    const number = ++this.#wishes
    const tables = distinctTables(this.#listener?.wanted() ?? [])
    const wish: Wish = { node: this.#node, number, tables }
    this.#send(WANTED, JSON.stringify(wish))
  }

  #answer({ node, number, tables }: Wish): void {
    if (!this.#options.isReader()) {
      this.#forwarder.clear()
      return
    }
    const session = this.#forwarder.want(node, tables)
    this.#control({ kind: 'from', to: node, number, session })
  }

  /** Whether this is the server that reads the changes, as far as known. A server that has lost the lease may still send some. */
  #follows(node: string): boolean {
    return this.#listener !== undefined && this.#options.isStandby() && this.#reader?.node === node
  }

  #handle(node: string, control: Control): void {
    if (control.kind === 'lost') {
      if (this.#follows(node)) this.#lose()
    } else if (control.to === this.#node && this.#listener && this.#options.isStandby()) this.#follow(node, control)
  }

  #follow(node: string, { number, session }: Extract<Control, { kind: 'from' }>): void {
    const known = this.#reader
    if (known && (known.node !== node || known.session !== session)) this.#lose()
    this.#reader = { node, session }
    for (const waiting of this.#waiting) if (waiting.number <= number) waiting.resolve(true)
  }

  #tell(events: readonly ReplicationEvent[]): void {
    const begin = this.#isCut ? events.findIndex(({ kind }) => kind === 'begin') : 0
    if (begin < 0) return
    this.#isCut = false
    this.#listener?.onEvents(events.slice(begin))
  }

  #lose(): void {
    this.#isCut = true
    if (this.#listener) this.#listener.onLost(LOST)
  }

  #control(control: Control): void {
    this.#send(CONTROL, JSON.stringify(control))
  }

  #send(channel: string, payload: string): void {
    this.#options.bus.publish(channel, { kind: 'text', from: this.#node, payload })
  }

  #receive(channel: string, onText: (node: string, text: string) => void): Disposable {
    return this.#options.bus.subscribe(channel, (message) => {
      if (message.kind === 'text' && message.from !== undefined && message.from !== this.#node)
        onText(message.from, message.payload)
    })
  }
}

function distinctTables(wanted: readonly WantedTables[]): readonly WantedTables[] {
  const distinct = new Map<string, WantedTables>()
  for (const { schema, table } of wanted) {
    if (Buffer.byteLength(schema) > NAME_BYTES_MAX || Buffer.byteLength(table ?? '') > NAME_BYTES_MAX) continue
    distinct.set(JSON.stringify([schema, table]), { schema, table })
    if (distinct.size > WANTED_TABLES_MAX) return [{ schema: '*', table: undefined }]
  }
  return [...distinct.values()]
}
