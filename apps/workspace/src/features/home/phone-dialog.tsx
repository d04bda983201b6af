import type { JSX } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { TextField } from '../../components/text-field.tsx'
import { coachMessages as words } from '../../messages/coach.ts'

/** Shows the server's address for a phone to scan. */
export function PhoneDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const address = location.origin
  return (
    <Dialog title={words.phoneTitle} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">{words.phoneDetail}</p>
        <QrCode text={address} label={words.qr} />
        <TextField label={words.address} name="address" value={address} isReadOnly isMono />
      </div>
    </Dialog>
  )
}
