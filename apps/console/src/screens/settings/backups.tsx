import { useQuery } from '@tanstack/react-query'
import type { JSX } from 'react'
import type { BackupList, ListedBackup } from '@holdfast/protocol'
import { Button, NoRows, Notice, Section, Spinner } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { useChange } from '../../lib/use-change.ts'

const KEY = ['backups']

/** Interval in ms between looks while a backup is made. */
const RUNNING_MS = 2_000

/** Backups on the disk of the server. */
export function Backups(): JSX.Element {
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => request<BackupList>('GET /backups', { signal }),
    refetchInterval: ({ state }) => (state.data?.runningSince == null ? false : RUNNING_MS),
  })
  return (
    <QueryState query={list} rows={6}>
      {(backups) => (
        <div className="flex flex-col gap-8">
          <Make backups={backups} />
          <Restore backups={backups} />
        </div>
      )}
    </QueryState>
  )
}

function Make({ backups: given }: { readonly backups: BackupList }): JSX.Element {
  const { folder, backups, runningSince, failure, freeBytes, neededBytes, filesIn } = given
  const make = useChange('The backup has begun.', [KEY, ['audit']])
  const hasSpace = freeBytes >= neededBytes
  return (
    <Section
      title="Backups"
      description={
        <>
          The database, {filesIn === null ? 'stored files' : 'no stored files'} and the keys of the server, in{' '}
          <span className="font-mono text-mono">{folder}</span>. Copy them to another machine: a lost disk takes these
          along. Whoever has a backup has every row and key.
        </>
      }
      action={
        <Button
          tone="primary"
          isDisabled={!hasSpace || runningSince !== null}
          isPending={make.isPending}
          onPress={() => make.mutate({ target: 'POST /backups' })}
        >
          Make a backup
        </Button>
      }
    >
      {filesIn === null ? null : (
        <Notice title={`Stored files are in the bucket ${filesIn}, and not in the backup`}>
          Keep its versions or copies as long as your backups.
        </Notice>
      )}
      {failure === null ? null : (
        <Notice tone="danger" role="alert" title="The last backup failed">
          {failure}
        </Notice>
      )}
      <p className={hasSpace ? 'text-muted' : 'text-danger'}>
        {formatBytes(freeBytes)} free; a backup needs up to {formatBytes(neededBytes)}.
        {hasSpace ? '' : ' Free space first, or run “holdfast backup” with a folder on another disk.'}
      </p>
      {runningSince === null ? null : (
        <p role="status" className="flex items-center gap-2">
          <Spinner />
          Making a backup, begun <TimeAgo at={runningSince} />
        </p>
      )}
      {backups.length === 0 ? (
        <NoRows>No backups here</NoRows>
      ) : (
        <DataTable label="Backups" columns={COLUMNS} rows={backups} keyOf={({ name }) => name} />
      )}
    </Section>
  )
}

const COLUMNS: readonly TableColumn<ListedBackup>[] = [
  { id: 'name', label: 'Folder', cell: ({ name }) => <span className="font-mono text-mono">{name}</span> },
  { id: 'at', label: 'Made', cell: ({ takenAt }) => <TimeAgo at={takenAt} /> },
  {
    id: 'bytes',
    label: 'Database, compressed',
    isNumber: true,
    cell: ({ databaseBytes }) => formatBytes(databaseBytes),
  },
  { id: 'release', label: 'Release', cell: ({ holdfast }) => holdfast },
]

function Restore({ backups: { folder, backups, isExternal } }: { readonly backups: BackupList }): JSX.Element {
  const backup = `${folder}/${backups[0]?.name ?? '<backup>'}`
  return (
    <Section
      title="Restore"
      description={
        isExternal
          ? 'A restore fills an empty database and a new data folder, and overwrites nothing. Then start a server on both.'
          : 'A restore makes a new data folder, and overwrites nothing. Stop this server, then start one on that folder.'
      }
    >
      <TextBlock label="Commands">
        {isExternal
          ? `export DATABASE_URL=postgres://…/an_empty_database\nholdfast restore ${backup} --data-dir=restored\nholdfast start --data-dir=restored`
          : `holdfast restore ${backup} --data-dir=restored\nholdfast start --data-dir=restored`}
      </TextBlock>
    </Section>
  )
}
