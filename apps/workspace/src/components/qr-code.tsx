import { encodeQR } from 'qr'
import type { JSX } from 'react'

/** Shows a text as a QR code. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    // White in dark mode too: cameras expect dark modules on a light ground.
    <img
      className="mx-auto w-full max-w-64 rounded-md bg-[#fff] p-3"
      src={`data:image/svg+xml,${encodeURIComponent(encodeQR(text, 'svg'))}`}
      alt={label}
    />
  )
}
