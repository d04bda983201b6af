import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { LinkButton } from '../../components/link.tsx'
import { formatAgo, formatCount, formatMoment } from '../../lib/format.ts'
import type { ChipLooks } from '../../lib/data/sync-chip.ts'
import { syncMenuMessages as words } from '../../messages/sync-menu.ts'

export interface SyncMenuProps {
  readonly looks: ChipLooks
  readonly workspace: string
  readonly waiting: number
  readonly attention: number
  readonly rows: number
  readonly lastSyncedAt: Date | undefined
  readonly isPaused: boolean
  readonly onPauseChange: (isPaused: boolean) => void
  readonly onSignIn: () => void
  /** The session lacks its second factor. */
  readonly onConfirm: () => void
}

/** Content of the chip's menu: last contact with the server, unsent changes and actions. */
export function SyncMenu(props: SyncMenuProps): JSX.Element {
  const { looks, workspace, waiting, attention, rows, lastSyncedAt, isPaused } = props
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p className="text-heading">{looks.text}</p>
        {/* When up to date, the list below already has the time of the last check. */}
        {looks.kind === 'up_to_date' ? null : <p className="text-body text-muted">{looks.detail}</p>}
      </div>
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-y border-border py-3 text-body">
        <dt className="text-muted">{words.lastContact}</dt>
        <dd title={lastSyncedAt && formatMoment(lastSyncedAt)}>
          {lastSyncedAt ? formatAgo(lastSyncedAt) : words.never}
        </dd>
        <dt className="text-muted">{words.notSent}</dt>
        <dd className="text-right tabular-nums">{formatCount(waiting)}</dd>
        <dt className="text-muted">{words.needAttention}</dt>
        <dd className="text-right tabular-nums">{formatCount(attention)}</dd>
        <dt className="text-muted">{words.rowsHere}</dt>
        <dd className="text-right tabular-nums">{formatCount(rows)}</dd>
      </dl>
      <div className="flex flex-wrap gap-2">
        {looks.kind === 'sign_in_needed' ? (
          <Button size="sm" tone="primary" onPress={props.onSignIn}>
            {words.signIn}
          </Button>
        ) : null}
        {looks.kind === 'second_factor_needed' ? (
          <Button size="sm" tone="primary" onPress={props.onConfirm}>
            {words.confirm}
          </Button>
        ) : null}
        <LinkButton
          size="sm"
          to="/w/$ws/sync"
          params={{ ws: workspace }}
          search={attention > 0 ? { tab: 'attention' } : {}}
        >
          {words.centre}
        </LinkButton>
        <Button size="sm" onPress={() => props.onPauseChange(!isPaused)}>
          {isPaused ? words.resume : words.pause}
        </Button>
      </div>
    </div>
  )
}
