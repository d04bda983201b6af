import { encodeQR } from 'qr'
import type { JSX } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { coachMessages as words } from '../../messages/coach.ts'

/** Shows the server's address for a phone to scan. */
export function PhoneDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const address = location.origin
  return (
    <Dialog title={words.phoneTitle} isOpen onClose={onClose}>
      <p className="text-muted">{words.phoneDetail}</p>
      {/* White in dark mode too: cameras expect dark modules on a light ground. */}
      <img
        className="mx-auto w-full max-w-64 rounded-md bg-white p-3"
        src={`data:image/svg+xml,${encodeURIComponent(encodeQR(address, 'svg'))}`}
        alt={words.qr}
      />
      <TextField label={words.address} name="address" value={address} isReadOnly isMono />
    </Dialog>
  )
}
