/** Has the service worker keep the reader of codes on this device, once it keeps the rest of the app, where the browser has none of its own. */
export function keepCodeReader(): void {
  if ('BarcodeDetector' in window || !('serviceWorker' in navigator)) return
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ type: 'keep-code-reader' }))
}
