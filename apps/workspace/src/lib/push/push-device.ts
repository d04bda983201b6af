import * as v from 'valibot'
import type { Backend } from '../data/backend.ts'
import { callFunction } from '../data/call-function.ts'
import { localValue } from '../local-value.ts'

/** Whether this browser supports notifications and receives them for a user. */
export type PushState = 'unsupported' | 'not_served' | 'denied' | 'off' | 'on'

/** Current push registration as last sent to the server. */
const told = localValue('hf-push', v.object({ userId: v.string(), endpoint: v.string() }))

/** The push service is unreachable, or not available to this browser. */
export class PushServiceError extends Error {}

/** Timeout in ms, because browsers retry an unreachable push service indefinitely. */
const SUBSCRIBE_MS = 20_000

/** Returns the state on this device. */
export async function readPushState(backend: Backend, userId: string): Promise<PushState> {
  if (!isSupported()) return 'unsupported'
  if (backend.config.pushKey === undefined) return 'not_served'
  if (Notification.permission === 'denied') return 'denied'
  const subscription = await (await navigator.serviceWorker.ready).pushManager.getSubscription()
  const known = told.read()
  return Notification.permission === 'granted' && known?.userId === userId && known.endpoint === subscription?.endpoint
    ? 'on'
    : 'off'
}

/**
 * Asks the user, the push service and the server, in this order. Must be called from a user gesture.
 *
 * @returns `off` if the user dismissed the prompt
 * @throws {PushServiceError} if the browser cannot subscribe, `Error` if the server refuses
 */
export async function turnPushOn(backend: Backend, userId: string): Promise<PushState> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off'
  const subscription = await subscribe(backend)
  await tell(backend, userId, subscription)
  return 'on'
}

/** @throws if the server is unreachable; nothing is changed */
export async function turnPushOff(backend: Backend): Promise<void> {
  const subscription = await (await navigator.serviceWorker.ready).pushManager.getSubscription()
  if (subscription) {
    await callFunction(backend, 'remove_push_device', { device_endpoint: subscription.endpoint })
    await subscription.unsubscribe()
  }
  told.clear()
}

/** Stops this device's notifications for a leaving user, even offline. The server drops devices it cannot deliver to. */
export async function forgetPush(userId: string): Promise<void> {
  if (told.read()?.userId !== userId) return
  const registration = isSupported() ? await navigator.serviceWorker.getRegistration() : undefined
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  told.clear()
}

/** Renews the registration with the current session; resubscribes if a key has changed. No-op without a registration. */
export async function renewPush(backend: Backend, userId: string): Promise<void> {
  if ((await readPushState(backend, userId)) === 'on') await tell(backend, userId, await subscribe(backend))
}

function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
}

async function subscribe({ config }: Backend): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const key = Uint8Array.from(atob((config.pushKey ?? '').replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  const present = await pushManager.getSubscription()
  if (present) {
    if (isSame(present.options.applicationServerKey, key)) return present
    await present.unsubscribe()
  }
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The push service is silent.')), SUBSCRIBE_MS)
  try {
    return await Promise.race([pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late])
  } catch (cause) {
    throw new PushServiceError('The browser did not subscribe.', { cause })
  } finally {
    clearTimeout(timer)
  }
}

function isSame(buffer: ArrayBuffer | null, key: Uint8Array): boolean {
  const bytes = new Uint8Array(buffer ?? new ArrayBuffer(0))
  return bytes.length === key.length && bytes.every((byte, place) => byte === key[place])
}

async function tell(backend: Backend, userId: string, subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  await callFunction(backend, 'add_push_device', {
    device_endpoint: endpoint ?? '',
    device_key: keys?.['p256dh'] ?? '',
    device_secret: keys?.['auth'] ?? '',
  })
  told.write({ userId, endpoint: subscription.endpoint })
}
