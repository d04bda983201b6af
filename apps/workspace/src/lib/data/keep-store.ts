import { setIncomplete } from '../is-on-device.ts'

/**
 * Caches SQLite for a store other than private files, which the service worker does not do by itself. Until then the app does not promise to work without a
 * connection.
 */
export function keepStore(): void {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!import.meta.env.PROD || !workers) return
  setIncomplete(true)
  void workers.ready.then(({ active }) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', ({ data: isKept }: MessageEvent<boolean>) => setIncomplete(!isKept), {
      once: true,
    })
    port1.start()
    active?.postMessage({ type: 'keep-store' }, [port2])
  })
}
