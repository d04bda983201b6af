import { countDifferences, renderDeviceCheck, type DeviceCheck } from '@holdfast/client'
import { useSyncStatus } from '@holdfast/react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { showToast } from '../../components/toast.tsx'
import { useTables } from '../../lib/data/use-tables.tsx'
import { humanize } from '../../lib/format.ts'
import { deviceCheckMessages as words } from '../../messages/device-check.ts'
import { syncMessages } from '../../messages/sync.ts'
import { useConfirmedWork } from './use-confirmed-work.ts'
import { failureReason, useDeviceCheck, type UsedDeviceCheck } from './use-device-check.ts'

/** Compares this device with the server, row by row, and offers a repair. */
export function CheckDevice({ waiting }: { readonly waiting: number }): JSX.Element {
  const isOffline = useSyncStatus().kind === 'offline'
  const used = useDeviceCheck()
  const { state } = used
  return (
    <section aria-labelledby="device-check" className="flex flex-col items-start gap-2">
      <h2 id="device-check" className="text-heading">
        {words.title}
      </h2>
      <p className="text-muted">{words.detail}</p>
      {isOffline && state.kind !== 'checking' ? <p className="text-warning">{words.offline}</p> : null}
      <div className="w-full not-empty:py-1">
        <Findings used={used} waiting={waiting} />
      </div>
      {state.kind === 'checking' ? (
        <Button onPress={used.cancel}>{words.cancel}</Button>
      ) : (
        <Button isDisabled={isOffline} onPress={used.start}>
          {state.kind === 'idle' ? words.check : words.again}
        </Button>
      )}
    </section>
  )
}

function Findings({ used, waiting }: { readonly used: UsedDeviceCheck; readonly waiting: number }): JSX.Element | null {
  const { state } = used
  switch (state.kind) {
    case 'idle':
      return null
    case 'checking': {
      const { phase, done, total } = state.progress ?? { phase: 'server', done: 0, total: 0 }
      const valueText = total === 0 ? '' : words.progress(done, total)
      return <Progress label={words.phases[phase]} value={done} total={total} valueText={valueText} />
    }
    case 'failed': {
      const reason = failureReason(state.error)
      if (reason === undefined) return <ErrorNotice error={state.error} />
      return (
        <Notice tone="warning" role="status" title={words.failed}>
          {words.failures[reason]}
        </Notice>
      )
    }
    case 'checked':
      return state.check.equal ? (
        <Equal check={state.check} />
      ) : (
        <Different check={state.check} repair={used.repair} waiting={waiting} />
      )
    default:
      return state satisfies never
  }
}

function Equal({ check }: { readonly check: DeviceCheck }): JSX.Element {
  const rows = check.tables.reduce((sum, table) => sum + table.rows, 0)
  return (
    <Notice tone="success" role="status" title={words.equal}>
      <p>{words.equalDetail(rows, check.tables.length)}</p>
      <Remarks check={check} />
    </Notice>
  )
}

function Different({
  check,
  repair,
  waiting,
}: {
  readonly check: DeviceCheck
  readonly repair: () => Promise<void>
  readonly waiting: number
}): JSX.Element {
  const labelOf = useTableLabels()
  const work = useConfirmedWork(async () => {
    await repair()
    showToast({ text: words.repairing })
  })
  const differing = check.tables.filter((table) => countDifferences(table) > 0)
  const rows = differing.reduce((sum, table) => sum + countDifferences(table), 0)
  return (
    <Notice
      tone="danger"
      role="status"
      title={words.different(rows)}
      actions={
        <Button size="sm" isDisabled={waiting > 0 || work.isBusy} onPress={work.confirm}>
          {words.repair}
        </Button>
      }
    >
      <ul className="list-disc pl-5">
        {differing.map(({ table, missing, extra, different, hasMore }) => (
          <li key={table}>
            {words.inTable(labelOf(table), missing.length, extra.length, different.length)}
            {hasMore ? ` ${words.more}` : ''}
          </li>
        ))}
      </ul>
      <Remarks check={check} />
      <p className="pt-1">{waiting > 0 ? syncMessages.resyncBlocked(waiting) : words.repairDetail}</p>
      <Disclosure title={words.details}>
        <pre className="font-mono text-mono whitespace-pre-wrap">{renderDeviceCheck(check)}</pre>
      </Disclosure>
      {work.error ? <ErrorNotice error={work.error} /> : null}
    </Notice>
  )
}

/** Says what the check left out. */
function Remarks({ check: { pending, tables } }: { readonly check: DeviceCheck }): JSX.Element {
  const labelOf = useTableLabels()
  return (
    <>
      {pending > 0 ? <p>{words.pending(pending)}</p> : null}
      {tables.map(({ table, fails, isUnsettled }) =>
        fails === undefined && !isUnsettled ? null : (
          <p key={table}>{isUnsettled ? words.unsettled(labelOf(table)) : words.notCompared(labelOf(table))}</p>
        ),
      )}
    </>
  )
}

function useTableLabels(): (name: string) => string {
  const tables = useTables()
  return (name) => tables.find((table) => table.name === name)?.label ?? humanize(name)
}
