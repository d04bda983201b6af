import { DataRemains } from '@holdfast/client'
import { useLastSyncedAt, useLocalDatabase, useSyncStatus, useUnsent } from '@holdfast/react'
import type { JSX, ReactNode } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useLocalStore } from '../../lib/data/open-database.ts'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { formatBytes, formatCount, formatMoment } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'
import { LostWork } from '../../components/records/lost-work.tsx'
import { type ConfirmedWork, useConfirmedWork } from './use-confirmed-work.ts'
import { useDeviceFacts } from './use-device-facts.ts'

const { Content: CheckDevice } = lateContent(async () => (await import('./check-device.tsx')).CheckDevice)

/** This device's data, its check, and two ways to start over. */
export function DeviceTab({ waiting }: { readonly waiting: number }): JSX.Element {
  return (
    <div className="flex max-w-2xl flex-col gap-8">
      <Storage waiting={waiting} />
      <CheckDevice waiting={waiting} />
      <Resync waiting={waiting} />
      <Wipe />
    </div>
  )
}

function Storage({ waiting }: { readonly waiting: number }): JSX.Element {
  const lastSyncedAt = useLastSyncedAt()
  const store = useLocalStore((state) => state.store)
  const counts = useTableCounts()
  const facts = useDeviceFacts()
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const askPersist = async (): Promise<void> => {
    if (!(await facts.askPersist())) showToast({ text: words.persistRefused })
  }
  return (
    <section aria-labelledby="device-storage">
      <h2 id="device-storage" className="pb-2 text-heading">
        {words.storageTitle}
      </h2>
      <dl className="rounded-lg border border-border">
        <Line name={words.rows}>{counts.size === 0 ? '' : formatCount(rows)}</Line>
        <Line name={words.changesWaiting}>{formatCount(waiting)}</Line>
        <Line name={words.lastSync}>{lastSyncedAt ? formatMoment(lastSyncedAt) : syncMenuMessages.never}</Line>
        <Line name={words.storageIn}>{store === undefined ? '' : words.storageKinds[store]}</Line>
        {facts.usage === undefined ? null : (
          <Line name={words.used}>{words.usedOf(formatBytes(facts.usage.used), formatBytes(facts.usage.quota))}</Line>
        )}
        {facts.isPersistent === undefined ? null : (
          <Line name={words.persistence}>
            {facts.isPersistent ? words.persistent : words.notPersistent}
            {facts.isPersistent ? null : (
              <Button size="sm" onPress={() => void askPersist()}>
                {words.askPersist}
              </Button>
            )}
          </Line>
        )}
        <Line name={words.device}>
          <span className="font-mono text-mono [overflow-wrap:anywhere]">{facts.clientId}</span>
        </Line>
        <Line name={words.engine}>
          <span className="font-mono text-mono">{facts.engine}</span>
        </Line>
      </dl>
    </section>
  )
}

/** Fetches everything from the server again. */
function Resync({ waiting }: { readonly waiting: number }): JSX.Element {
  const local = useLocalDatabase()
  const syncState = useSyncStatus()
  const work = useConfirmedWork(async () => {
    await local.resync()
    showToast({ text: words.resyncStarted })
  })
  return (
    <section aria-labelledby="device-resync" className="flex flex-col items-start gap-2">
      <h2 id="device-resync" className="text-heading">
        {words.resyncTitle}
      </h2>
      <p className="text-muted">{words.resyncDetail}</p>
      {waiting > 0 ? (
        <p id="resync-blocked" className="text-warning">
          {words.resyncBlocked(waiting)}
        </p>
      ) : null}
      <Button isDisabled={waiting > 0 || syncState.kind === 'offline'} onPress={work.ask}>
        {words.resync}
      </Button>
      <Confirmation work={work} title={words.resyncTitle} confirmLabel={words.resync}>
        <p>{words.resyncDetail}</p>
      </Confirmation>
    </section>
  )
}

/** Signs out and deletes this device's data. */
function Wipe(): JSX.Element {
  const { client } = useBackend()
  const unsent = useUnsent()
  const work = useConfirmedWork(async () => {
    try {
      await client.signOut('wipe', { discardUnsent: true })
    } catch (error) {
      // The user is signed out; the sign-in screen lists the remaining data.
      if (!(error instanceof DataRemains)) throw error
    }
  })
  return (
    <section aria-labelledby="device-wipe" className="flex flex-col items-start gap-2">
      <h2 id="device-wipe" className="text-heading">
        {words.wipeTitle}
      </h2>
      <p className="text-muted">{words.wipeDetail}</p>
      <Button tone="danger" onPress={work.ask}>
        {words.wipe}
      </Button>
      <Confirmation work={work} title={words.wipeTitle} confirmLabel={words.wipe} isDanger>
        <p>{words.wipeDetail}</p>
        <LostWork {...unsent} />
      </Confirmation>
    </section>
  )
}

function Confirmation({
  work,
  title,
  confirmLabel,
  isDanger = false,
  children,
}: {
  readonly work: ConfirmedWork
  readonly title: string
  readonly confirmLabel: string
  readonly isDanger?: boolean
  readonly children: ReactNode
}): JSX.Element {
  return (
    <ConfirmDialog
      title={title}
      isOpen={work.isAsked}
      onClose={work.close}
      confirmLabel={confirmLabel}
      isDanger={isDanger}
      isPending={work.isBusy}
      onConfirm={work.confirm}
    >
      {children}
      {work.error ? <ErrorNotice error={work.error} /> : null}
    </ConfirmDialog>
  )
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-border px-4 py-2.5 not-first:border-t">
      <dt className="w-full shrink-0 text-muted tablet:w-56">{name}</dt>
      <dd className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">{children}</dd>
    </div>
  )
}
