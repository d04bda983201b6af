import type { JSX } from 'react'
import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { useLocalStore } from '../../lib/data/open-database.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { takeNewVersion, useWaitingVersion } from '../register-service-worker.ts'

/** One banner at a time: a new version first, then a store that forgets. */
export function Banners(): JSX.Element | null {
  const worker = useWaitingVersion((state) => state.worker)
  const store = useLocalStore((state) => state.store)
  const [isLater, setLater] = useState(false)
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
  if (store === 'memory') return <Banner tone="warning">{words.noStore}</Banner>
  return null
}
