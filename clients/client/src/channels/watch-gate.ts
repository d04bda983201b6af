import type { HoldfastClient } from '../create-client.ts'
import type { LocalDatabase } from '../local/local-database.ts'
import type { SyncState } from '../status/sync-state.ts'
import { createValue, type Value } from '../value.ts'
import { OFFLINE_AFTER_MS } from './limits.ts'

/** Connection facts at one time. */
export interface GateFacts {
  readonly sync: SyncState['kind']
  /** The sync stream is open. */
  readonly connected: boolean
  /** The browser reports no network. */
  readonly isCutOff: boolean
}

const OFFLINE: ReadonlySet<SyncState['kind']> = new Set([
  'offline',
  'no_answer',
  'reconnecting',
  'connecting',
  'sign_in_needed',
  'second_factor_needed',
  'blocked',
])

/** Whether the server is reachable according to sync; `doubt` while a connection may just be between two streams. */
export function judgeGate({ sync, connected, isCutOff }: GateFacts): 'online' | 'offline' | 'doubt' {
  if (isCutOff || OFFLINE.has(sync)) return 'offline'
  return connected ? 'online' : 'doubt'
}

/**
 * Returns the user who may join channels; `undefined` without a signed-in user or connection. The sync stream detects both, so channels need no retries while
 * the device is offline.
 */
export function watchGate(client: Pick<HoldfastClient, 'session' | 'device'>): Value<string | undefined> {
  return new Gate(client)
}

class Gate implements Value<string | undefined> {
  readonly #user = createValue<string | undefined>(undefined)
  readonly #client: Pick<HoldfastClient, 'session' | 'device'>
  #local: LocalDatabase | undefined
  #stopLocal: () => void = () => undefined
  #doubt: ReturnType<typeof setTimeout> | undefined

  readonly get = this.#user.get
  readonly subscribe = this.#user.subscribe

  constructor(client: Pick<HoldfastClient, 'session' | 'device'>) {
    this.#client = client
    client.session.subscribe(() => this.#look())
    client.device.subscribe(() => this.#follow())
    globalThis.window?.addEventListener('offline', () => this.#look())
    globalThis.window?.addEventListener('online', () => this.#look())
    this.#follow()
  }

  #follow(): void {
    const device = this.#client.device.get()
    const local = device.kind === 'open' ? device.local : undefined
    if (local !== this.#local) {
      this.#stopLocal()
      this.#local = local
      const look = (): void => this.#look()
      const stops = local ? [local.sync.subscribe(look), local.database.registerListener({ statusChanged: look })] : []
      this.#stopLocal = () => stops.forEach((stop) => stop())
    }
    this.#look()
  }

  #look(): void {
    clearTimeout(this.#doubt)
    const session = this.#client.session.get()
    const local = this.#local
    if (session.kind !== 'active' || local?.userId !== session.user.id) return this.#user.set(undefined)
    const verdict = judgeGate({
      sync: local.sync.get().kind,
      connected: local.database.currentStatus.connected,
      isCutOff: globalThis.navigator?.onLine === false,
    })
    if (verdict === 'online') this.#user.set(session.user.id)
    else if (verdict === 'offline') this.#user.set(undefined)
    else this.#doubt = setTimeout(() => this.#user.set(undefined), OFFLINE_AFTER_MS)
  }
}
