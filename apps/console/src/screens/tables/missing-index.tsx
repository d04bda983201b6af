import { useNavigate } from '@tanstack/react-router'
import { Copy, SquareTerminal } from 'lucide-react'
import type { JSX } from 'react'
import { Button, copyText } from '@holdfast/workspace'
import { TextBlock } from '../../components/text-block.tsx'
import { ConsoleError } from '../../lib/api.ts'
import { openInTab, readTabs, storeTabs } from '../sql/tabs.ts'

/** Offers the SQL of an index without which rows could not be read in time. */
export function MissingIndex({ error }: { readonly error: unknown }): JSX.Element | null {
  const navigate = useNavigate()
  const hint = error instanceof ConsoleError && error.code === 'rows_timeout' ? error.hint : undefined
  if (hint === undefined) return null
  return (
    <section aria-label="Index that may help" className="flex flex-col gap-3">
      <TextBlock label="SQL of the index">{hint}</TextBlock>
      <p className="max-w-[68ch] text-muted">
        Building it reads the whole table. Users read and write meanwhile, unless the table is partitioned.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<SquareTerminal size={16} aria-hidden />}
          onPress={() => {
            storeTabs(openInTab(readTabs(), { title: 'New index', text: hint }))
            void navigate({ to: '/sql' })
          }}
        >
          Open in SQL
        </Button>
        <Button icon={<Copy size={16} aria-hidden />} onPress={() => void copyText(hint, 'Copied')}>
          Copy
        </Button>
      </div>
    </section>
  )
}
