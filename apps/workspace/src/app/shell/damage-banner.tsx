import type { DamageReport } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import type { JSX } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { readDatabaseFile, useLocalStore } from '../../lib/data/open-database.ts'
import { saveBlob } from '../../lib/save-file.ts'
import { damageMessages as words } from '../../messages/damage.ts'

/** Reports that this device's data was damaged and what was recovered, until the user dismisses it. */
export function DamageBanner({ report }: { readonly report: DamageReport }): JSX.Element {
  const local = useLocalDatabase()
  const store = useLocalStore((state) => state.store)
  const { fileName, isWhole, kept } = report
  const save = async (name: string): Promise<void> => {
    const file = await readDatabaseFile(name)
    if (file) saveBlob(name, file)
  }
  return (
    <Banner
      tone={isWhole ? 'warning' : 'danger'}
      action={
        fileName !== undefined && store === 'opfs' ? (
          <Button size="sm" onPress={() => void save(fileName)}>
            {words.save}
          </Button>
        ) : undefined
      }
      onDismiss={() => void local.dismissDamage()}
    >
      {[words.replaced, kept > 0 ? words.kept(kept) : '', isWhole ? '' : words.lost].filter(Boolean).join(' ')}
    </Banner>
  )
}
