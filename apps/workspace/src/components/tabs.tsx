import type { JSX, ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components/Tabs'
import { cx } from '../lib/cx.ts'
import { CountBadge } from './count-badge.tsx'

export interface TabItem<Id extends string> {
  readonly id: Id
  readonly label: string
  /** Shown and announced after the label; hidden if zero. */
  readonly count?: number
  readonly tone?: 'neutral' | 'danger'
  /** Shown and announced after the count, such as how many are new. */
  readonly note?: string | undefined
  readonly content: ReactNode
}

/** Scrolls to the selected tab: on phones they may not all fit. The list is drawn after its parent's effects, so the tab itself has to call. */
function showTab(tab: Element | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Tabs with panels and arrow navigation; the caller stores the selection, usually in the URL. */
export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  isFlush = false,
  onSelect,
}: {
  readonly label: string
  readonly tabs: readonly TabItem<Id>[]
  readonly selected: Id
  /** Tabs extend to the container's edges, with labels aligned to its content. */
  readonly isFlush?: boolean
  readonly onSelect: (id: Id) => void
}): JSX.Element {
  return (
    <AriaTabs
      selectedKey={selected}
      onSelectionChange={(key) => {
        const tab = tabs.find((candidate) => candidate.id === key)
        if (tab) onSelect(tab.id)
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <TabList
        aria-label={label}
        className={cx(
          'flex shrink-0 gap-1 max-[359px]:gap-0 overflow-x-auto overflow-y-hidden border-b border-border',
          isFlush && 'px-2 max-[359px]:px-3 tablet:px-1',
        )}
      >
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            ref={tab.id === selected ? showTab : undefined}
            id={tab.id}
            className={cx(
              'focus-inset relative flex h-10 cursor-default items-center gap-2 rounded-sm px-2 text-[0.875rem] max-[359px]:px-1 tablet:px-3 whitespace-nowrap text-muted outline-none coarse:h-11',
              'after:absolute after:inset-x-2 after:-bottom-px after:h-0.5 after:rounded-full data-hovered:text-text',
              'data-selected:font-medium data-selected:text-text data-selected:after:bg-accent',
            )}
          >
            {tab.label}
            {tab.count === undefined || tab.count === 0 ? null : (
              <CountBadge count={tab.count} tone={tab.tone ?? 'neutral'} />
            )}
            {tab.note === undefined ? null : (
              <span className="rounded-full bg-accent-soft px-1.5 text-small text-accent tabular-nums">{tab.note}</span>
            )}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="min-h-0 flex-1 py-4 outline-none">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
