import { DeviceFull } from '@holdfast/client'
import { useAttachments } from '@holdfast/react'
import { type JSX, useEffect, useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { useUnstored } from '../../lib/data/unstored.ts'
import { fullDeviceMessages as words } from '../../messages/full-device.ts'

/** Interval in ms between checks of the storage used by photos. */
const ASKED_EVERY_MS = 2_000

/** Names the change that did not fit on this device, and frees space by deleting photos that the server also has. */
export function FullDeviceBanner({ label }: { readonly label: string }): JSX.Element {
  const attachments = useAttachments()
  const [cached, setCached] = useState(0)
  const [outcome, setOutcome] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  // The local database knows how much can be freed; a photo being sent may follow a moment later.
  useEffect(() => {
    let isOver = false
    const ask = (): void =>
      void attachments.usage().then(
        ({ cachedBytes }) => !isOver && setCached(cachedBytes),
        (error: unknown) => console.info('What files take on this device is not known.', error),
      )
    ask()
    const timer = setInterval(ask, ASKED_EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [attachments])

  const freeUp = async (): Promise<void> => {
    setBusy(true)
    try {
      await attachments.freeUpSpace()
      setOutcome(words.freed(cached))
    } catch (error) {
      if (!(error instanceof DeviceFull)) throw error
      setOutcome(words.stillFull)
    } finally {
      setBusy(false)
      setCached(0)
    }
  }
  return (
    <Banner
      tone="danger"
      action={
        cached > 0 ? (
          <Button size="sm" isPending={isBusy} onPress={() => void freeUp()}>
            {words.freeUp(cached)}
          </Button>
        ) : undefined
      }
      onDismiss={() => useUnstored.setState({ label: undefined })}
    >
      {outcome ?? words.banner(label)}
    </Banner>
  )
}
