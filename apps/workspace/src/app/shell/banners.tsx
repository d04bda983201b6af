import { useLocalDatabase, useValue } from '@holdfast/react'
import type { JSX } from 'react'
import { lazy, Suspense, useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { LinkButton } from '../../components/link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useUnstored } from '../../lib/data/unstored.ts'
import { useLocalStore } from '../../lib/data/open-database.ts'
import { secondFactorMessages } from '../../messages/second-factor.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { takeNewVersion, useWaitingVersion } from '../register-service-worker.ts'

const FullDeviceBanner = lazy(async () => ({ default: (await import('./full-device-banner.tsx')).FullDeviceBanner }))

const DamageBanner = lazy(async () => ({ default: (await import('./damage-banner.tsx')).DamageBanner }))

/** One banner at a time: a change that was not stored first, then data that was damaged, then a new version, then what the person has to do, then a store that forgets. */
export function Banners(): JSX.Element | null {
  const worker = useWaitingVersion((state) => state.worker)
  const store = useLocalStore((state) => state.store)
  const session = useValue(useBackend().client.session)
  const damage = useValue(useLocalDatabase().damage)
  const unstored = useUnstored((state) => state.label)
  const [isLater, setLater] = useState(false)
  if (unstored !== undefined) {
    return (
      <Suspense>
        <FullDeviceBanner key={unstored} label={unstored} />
      </Suspense>
    )
  }
  if (damage) {
    return (
      <Suspense>
        <DamageBanner report={damage} />
      </Suspense>
    )
  }
  if (worker && !isLater) {
    return (
      <Banner
        action={
          <Button size="sm" onPress={() => takeNewVersion(worker)}>
            {words.loadNewVersion}
          </Button>
        }
        onDismiss={() => setLater(true)}
      >
        {words.newVersion}
      </Banner>
    )
  }
  if (session.kind === 'second_factor') {
    return (
      <Banner
        tone="warning"
        action={
          <LinkButton size="sm" to="/sign-in/second-factor" search={{ redirect: location.pathname }}>
            {secondFactorMessages.bannerAction}
          </LinkButton>
        }
      >
        {secondFactorMessages.banner}
      </Banner>
    )
  }
  if (store === 'memory') return <Banner tone="warning">{words.noStore}</Banner>
  return null
}
