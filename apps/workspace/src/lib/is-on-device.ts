/** Whether the app's files are on this device, so that loading one of them later costs no line. */
export function isOnDevice(): boolean {
  // Absent in private windows and without TLS.
  return (navigator.serviceWorker as ServiceWorkerContainer | undefined)?.controller != null
}
