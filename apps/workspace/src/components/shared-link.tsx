import type { JSX } from 'react'
import { sharedLinkMessages as words } from '../messages/shared-link.ts'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'
import { Notice } from './notice.tsx'
import { QrCode } from './qr-code.tsx'
import { TextField } from './text-field.tsx'

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** A link for others: QR code, address, and buttons to copy and share it. */
export function SharedLink({
  address,
  title,
}: {
  readonly address: string
  /** Title for the apps that it is shared with. */
  readonly title: string
}): JSX.Element {
  const share = (): void => {
    // Closing the system's dialog rejects.
    navigator.share({ title, url: address }).catch(() => undefined)
  }
  return (
    <div className="flex flex-col gap-4">
      {LOOPBACK.test(location.hostname) ? (
        <Notice tone="warning" title={words.onlyHere}>
          {words.onlyHereDetail}
        </Notice>
      ) : null}
      <QrCode text={address} label={words.qr} />
      <TextField label={words.address} name="link" value={address} isReadOnly isMono />
      <div className="flex flex-wrap gap-2">
        <Button onPress={() => void copyText(address, words.copied)}>{words.copy}</Button>
        {'share' in navigator ? <Button onPress={share}>{words.share}</Button> : null}
      </div>
    </div>
  )
}
