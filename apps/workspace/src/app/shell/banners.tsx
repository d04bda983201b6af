import { useLocalDatabase, useValue } from '@holdfast/react'
import type { JSX } from 'react'
import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { lateLayer } from '../../components/late-content.tsx'
import { LinkButton } from '../../components/link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useTyping } from '../../lib/data/typing.ts'
import { useUnstored } from '../../lib/data/unstored.ts'
import { useLocalStore } from '../../lib/data/open-database.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { takeNewVersion, useWaitingVersion } from '../register-service-worker.ts'

const { Content: FullDeviceBanner } = lateLayer(async () => (await import('./full-device-banner.tsx')).FullDeviceBanner)
const { Content: DamageBanner } = lateLayer(async () => (await import('./damage-banner.tsx')).DamageBanner)

/**
 * Shows one banner at a time, by priority: a change that was not stored, one not stored yet, damaged data, a new version, a required action, a store that is
 * not persistent.
 */
export function Banners(): JSX.Element | null {
  const worker = useWaitingVersion((state) => state.worker)
  const store = useLocalStore((state) => state.store)
  const session = useValue(useBackend().client.session)
  const damage = useValue(useLocalDatabase().damage)
  const { label: unstored, silent } = useUnstored()
  const [isLater, setLater] = useState(false)
  const isTyping = useTyping(({ open }) => open.size > 0)
  const [offered, setOffered] = useState<ServiceWorker>()
  // Appears only while the user is not typing, because it moves the content below.
  if (worker !== offered && !isTyping) setOffered(worker)
  if (unstored !== undefined) {
    return <FullDeviceBanner key={unstored} label={unstored} />
  }
  if (silent !== undefined) return <Banner tone="danger">{words.silentStore(silent)}</Banner>
  if (damage) {
    return <DamageBanner report={damage} />
  }
  if (offered && !isLater) return <NewVersion worker={offered} onLater={() => setLater(true)} />
  if (session.kind === 'second_factor') {
    return (
      <Banner
        tone="warning"
        action={
          <LinkButton size="sm" to="/sign-in/second-factor" search={{ redirect: location.pathname }}>
            {words.confirmSecondFactor}
          </LinkButton>
        }
      >
        {words.secondFactor}
      </Banner>
    )
  }
  if (store === 'memory') return <Banner tone="warning">{words.noStore}</Banner>
  return null
}

function NewVersion({
  worker,
  onLater,
}: {
  readonly worker: ServiceWorker
  readonly onLater: () => void
}): JSX.Element {
  const isTyping = useTyping(({ open }) => open.size > 0)
  const [isHeld, setHeld] = useState(false)
  const load = async (): Promise<void> => setHeld(!(await takeNewVersion(worker)))
  return (
    <Banner
      action={
        <Button size="sm" onPress={() => void load()}>
          {words.loadNewVersion}
        </Button>
      }
      onDismiss={onLater}
    >
      {words.newVersion} {isHeld && isTyping ? words.typedFirst : null}
    </Banner>
  )
}
