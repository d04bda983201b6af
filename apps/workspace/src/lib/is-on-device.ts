/** Whether the app's files are cached on this device, so that loading them needs no network. */
export function isOnDevice(): boolean {
  // Absent in private windows and without TLS.
  return (navigator.serviceWorker as ServiceWorkerContainer | undefined)?.controller != null
}
