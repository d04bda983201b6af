import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Maximize2, X } from 'lucide-react'
import { type JSX, type KeyboardEvent, useEffect, useRef } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { cx } from '../../lib/cx.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { NeighbourButtons, type NeighbourSteps } from './neighbour-buttons.tsx'
import { RECORD_TABS } from './record-content-props.ts'
import { RecordContent } from './record-content.tsx'
import { useStepKeys } from './use-step-keys.ts'

/** The record beside the grid: a 420 px column, over the grid on a tablet, full-screen on a phone. */
export function RecordPanel({
  table: name,
  recordId,
  onClose,
  onPrevious,
  onNext,
}: {
  readonly table: string
  readonly recordId: string
  readonly onClose: () => void
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}): JSX.Element | null {
  const table = useTableInfo(name)
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const { tab, q, f, s, g } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  const { view: v } = useParams({ strict: false })
  const navigate = useNavigate()
  const isBeside = useMediaQuery('(min-width: 900px)')
  const panel = useRef<HTMLElement>(null)
  useStepKeys(onPrevious, onNext, onClose)

  // The panel takes the focus only if it covers the grid.
  useEffect(() => {
    if (!isBeside) panel.current?.querySelector<HTMLElement>('h2')?.focus()
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each record that opens takes the focus
  }, [isBeside, recordId])

  if (!table) return null
  const params = { ws, table: name, record: recordId }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    onClose()
  }
  return (
    <aside
      ref={panel}
      aria-label={words.panel(table.noun)}
      onKeyDown={onKeyDown}
      className={cx(
        'flex flex-col overflow-y-auto bg-bg',
        isBeside
          ? 'w-[min(420px,50%)] min-w-[360px] shrink-0 border-l border-border'
          : 'absolute inset-y-0 right-0 z-40 w-full border-border shadow-dialog tablet:w-[420px] tablet:border-l',
      )}
    >
      <RecordContent
        table={table}
        recordId={recordId}
        workspace={ws}
        level="h2"
        tab={RECORD_TABS.find((one) => one === tab) ?? 'fields'}
        onTab={(next) =>
          void navigate({
            to: '.',
            search: (before: object) => ({ ...before, tab: next === 'fields' ? undefined : next }),
            replace: true,
          })
        }
        actions={
          <PanelActions
            onPrevious={onPrevious}
            onNext={onNext}
            onFullPage={() => void navigate({ to: '/w/$ws/t/$table/r/$record', params, search: { v, q, f, s, g } })}
            onClose={onClose}
          />
        }
        onOpenRecord={(other, id) =>
          void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ws, table: other, record: id } })
        }
        onGone={onClose}
      />
    </aside>
  )
}

function PanelActions({
  onPrevious,
  onNext,
  onFullPage,
  onClose,
}: NeighbourSteps & {
  readonly onFullPage: () => void
  readonly onClose: () => void
}): JSX.Element {
  return (
    <>
      <NeighbourButtons {...{ onPrevious, onNext }} />
      <IconButton label={words.fullPage} icon={<Maximize2 size={16} aria-hidden />} onPress={onFullPage} />
      <IconButton label={words.close} icon={<X size={18} aria-hidden />} onPress={onClose} />
    </>
  )
}
