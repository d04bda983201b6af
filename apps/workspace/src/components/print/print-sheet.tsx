import { useIncompleteTables, useUnsent } from '@holdfast/react'
import { useRouter } from '@tanstack/react-router'
import { ArrowLeft, Printer } from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatLongDay, formatTime } from '../../lib/format.ts'
import { useWorkspaceLogo } from '../../lib/records/use-workspace-logo.ts'
import { useWorkspaceName } from '../../lib/records/use-workspace.ts'
import { printMessages as words } from '../../messages/print.ts'
import { Button } from '../button.tsx'
import { useDocumentTitle } from '../page.tsx'
import { Select } from '../select.tsx'
import { type Orientation, pageCss, PAPERS, setPaper, usePageCss, usePaper } from './paper.ts'

export interface PrintSheetProps {
  readonly title: string
  /** Lines below the title, such as the filter. */
  readonly facts: readonly string[]
  /** Its missing records on this device are said. */
  readonly tables: readonly TableInfo[]
  readonly orientation: Orientation
  /** What is still being prepared; printing waits for it. */
  readonly pending?: string | undefined
  /** Said beside the button, not printed. */
  readonly note?: string | undefined
  readonly children: ReactNode
}

/**
 * A document as it is printed, with the controls above it. The browser prints and saves PDFs, so both work offline. Always light, whatever the theme.
 */
export function PrintSheet({
  title,
  facts,
  tables,
  orientation: usual,
  pending,
  note,
  children,
}: PrintSheetProps): JSX.Element {
  const { paper } = usePaper()
  const [orientation, setOrientation] = useState(usual)
  const workspace = useWorkspaceName()
  useDocumentTitle(title)
  usePageCss(pageCss(paper, orientation, `${workspace} · ${title}`))
  return (
    <div className="flex min-h-full flex-col bg-sunken print:block print:bg-transparent">
      <Controls {...{ orientation, setOrientation, pending, note }} />
      <article
        data-print-sheet
        // Paper is white.
        style={{ colorScheme: 'light' }}
        className="mx-auto my-4 w-full max-w-5xl bg-bg px-4 py-6 text-text shadow-popover tablet:px-10 tablet:py-8 print:m-0 print:max-w-none print:p-0 print:shadow-none"
      >
        <Head {...{ title, facts, tables }} />
        {children}
      </article>
    </div>
  )
}

function Controls({
  orientation,
  setOrientation,
  pending,
  note,
}: Pick<PrintSheetProps, 'pending' | 'note'> & {
  readonly orientation: Orientation
  readonly setOrientation: (orientation: Orientation) => void
}): JSX.Element {
  const { paper } = usePaper()
  const { history } = useRouter()
  return (
    <div className="sticky top-0 z-10 flex flex-wrap items-end gap-3 border-b border-border bg-bg px-4 py-3 print:hidden">
      <Button icon={<ArrowLeft size={16} aria-hidden />} onPress={() => history.back()}>
        {words.back}
      </Button>
      <Select
        label={words.paper}
        className="w-32"
        options={PAPERS.map((value) => ({ value, label: value === 'A4' ? 'A4' : 'Letter' }))}
        value={paper}
        onChange={(value) => setPaper(value === 'letter' ? 'letter' : 'A4')}
      />
      <Select
        label={words.orientation}
        className="w-40"
        options={[
          { value: 'portrait', label: words.portrait },
          { value: 'landscape', label: words.landscape },
        ]}
        value={orientation}
        onChange={(value) => setOrientation(value === 'landscape' ? 'landscape' : 'portrait')}
      />
      <Button
        tone="primary"
        icon={<Printer size={16} aria-hidden />}
        isPending={pending !== undefined}
        onPress={() => print()}
      >
        {words.print}
      </Button>
      <p role="status" className="min-w-48 flex-1 text-small text-muted">
        {pending ?? note ?? words.hint}
      </p>
    </div>
  )
}

/** The workspace's logo and name, the day, the title, and what the document leaves out. */
function Head({ title, facts, tables }: Pick<PrintSheetProps, 'title' | 'facts' | 'tables'>): JSX.Element {
  const logo = useWorkspaceLogo()
  const name = useWorkspaceName()
  const { waiting } = useUnsent()
  const missing = useIncompleteTables()
  const [now] = useState(() => new Date())
  const incomplete = tables.filter((table) => missing.some((one) => one.table === table.name))
  return (
    <div className="border-b border-border pb-4">
      <div className="flex items-center justify-between gap-4 pb-4 text-small text-muted">
        <p className="flex items-center gap-3">
          {logo == null ? null : <img src={logo} alt="" className="max-h-12 max-w-40 object-contain" />}
          <span className="font-medium text-text">{name}</span>
        </p>
        <p>{words.printed(`${formatLongDay(now)}, ${formatTime(now)}`)}</p>
      </div>
      <h1 tabIndex={-1} className="text-display [overflow-wrap:anywhere]">
        {title}
      </h1>
      {facts.map((fact) => (
        <p key={fact} className="pt-1 text-small text-muted">
          {fact}
        </p>
      ))}
      {incomplete.map((table) => (
        <p key={table.name} className="pt-1 text-small text-warning">
          {words.incomplete(table.label)}
        </p>
      ))}
      {waiting > 0 ? <p className="pt-1 text-small text-warning">{words.unsent(waiting)}</p> : null}
    </div>
  )
}
