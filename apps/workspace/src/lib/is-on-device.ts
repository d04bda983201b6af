let isIncomplete = false

/** Fires when the result of {@link isOnDevice} may have changed. */
const changes = new EventTarget()

/** Whether the app's files are cached on this device, so that loading them needs no network. */
export function isOnDevice(): boolean {
  return !isIncomplete && workers()?.controller != null
}

/** Sets whether this device needs parts of the app that it has not cached yet. */
export function setIncomplete(value: boolean): void {
  isIncomplete = value
  changes.dispatchEvent(new Event(CHANGE))
}

/** Calls `listener` when the result of {@link isOnDevice} may have changed. @returns a function that ends this */
export function onDeviceChange(listener: () => void): () => void {
  const targets = [workers(), changes]
  for (const target of targets) target?.addEventListener(CHANGE, listener)
  return () => {
    for (const target of targets) target?.removeEventListener(CHANGE, listener)
  }
}

const CHANGE = 'controllerchange'

/** Absent in private windows and without TLS. */
function workers(): ServiceWorkerContainer | undefined {
  return navigator.serviceWorker
}
