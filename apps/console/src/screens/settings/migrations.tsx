import { useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { ListedMigration, MigrationList, MigrationText, OwnMigration } from '@holdfast/protocol'
import { Button, Chip, NoRows, Notice, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'

/** Migrations of the project, those that are not applied first, and of Holdfast. */
export function Migrations(): JSX.Element {
  const list = useQuery({
    queryKey: ['migrations'],
    queryFn: ({ signal }) => request<MigrationList>('GET /migrations', { signal }),
  })
  return (
    <QueryState query={list} rows={8}>
      {(migrations) => (
        <div className="flex flex-col gap-8">
          <Pending migrations={migrations} />
          <Applied migrations={migrations} />
          <Section title="Holdfast" description="A start of a newer release applies its own migrations first.">
            <DataTable
              label="Migrations of Holdfast"
              columns={OWN}
              rows={migrations.own}
              keyOf={({ source, name }) => `${source}/${name}`}
            />
          </Section>
        </div>
      )}
    </QueryState>
  )
}

function Pending({ migrations }: { readonly migrations: MigrationList }): JSX.Element {
  const { folder, isApplied, project, skipped } = migrations
  const mayRead = useHasRole('developer')
  const pending = project.filter(({ state }) => state === 'pending' || state === 'older').toReversed()
  return (
    <Section
      title="Pending"
      description={
        isApplied
          ? `Files of ${folder} that the next start applies. "holdfast migration up" applies them now.`
          : `Files of ${folder} that are not applied. This server was started with --no-project-migrations, so only "holdfast migration up" applies them.`
      }
    >
      {skipped.length === 0 ? null : (
        <Notice tone="warning" title="Files that are no migrations">
          {skipped.join(', ')}: their names are not {'<version>_<name>.sql'}.
        </Notice>
      )}
      {pending.some(({ state }) => state === 'older') ? (
        <Notice tone="danger" title="A migration is older than an applied one">
          A start refuses it. Give it a later version, or apply it with “holdfast migration up --include-all”.
        </Notice>
      ) : null}
      {pending.length === 0 ? (
        <NoRows>Every migration is applied</NoRows>
      ) : (
        <ul aria-label="Pending" className="flex flex-col gap-3">
          {pending.map((migration) => (
            <li key={migration.version} className="flex flex-col gap-2 rounded-lg border border-border bg-raised p-4">
              <PendingMigration migration={migration} mayRead={mayRead} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function PendingMigration({
  migration: { version, name, state },
  mayRead,
}: {
  readonly migration: ListedMigration
  readonly mayRead: boolean
}): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-mono [overflow-wrap:anywhere]">{`${version}_${name ?? ''}`}</span>
        {state === 'older' ? <Chip colour="coral">older</Chip> : <Chip colour="amber">pending</Chip>}
        <span className="flex-1" />
        {mayRead ? (
          <Button size="sm" aria-expanded={isShown} onPress={() => setShown(!isShown)}>
            {isShown ? 'Hide SQL' : 'Show SQL'}
          </Button>
        ) : null}
      </div>
      {isShown ? <PendingText version={version} /> : null}
    </>
  )
}

function PendingText({ version }: { readonly version: string }): JSX.Element {
  const text = useQuery({
    queryKey: ['migrations', version],
    queryFn: ({ signal }) => request<MigrationText>(`GET /migrations/${version}`, { signal }),
  })
  return (
    <QueryState query={text} rows={4}>
      {({ path, text: sql, isCut }) => (
        <>
          <TextBlock label={path}>{sql === '' ? '-- empty' : sql}</TextBlock>
          {isCut ? (
            <p className="text-small text-muted">
              The first {formatBytes(sql.length)}. Open {path} for the rest.
            </p>
          ) : null}
        </>
      )}
    </QueryState>
  )
}

function Applied({ migrations: { project } }: { readonly migrations: MigrationList }): JSX.Element {
  const applied = project.filter(({ state }) => state === 'applied' || state === 'missing')
  return (
    <Section title="Applied">
      {applied.length === 0 ? (
        <NoRows>The project has applied no migrations</NoRows>
      ) : (
        <DataTable label="Applied" columns={APPLIED} rows={applied} keyOf={({ version }) => version} />
      )}
    </Section>
  )
}

const APPLIED: readonly TableColumn<ListedMigration>[] = [
  { id: 'version', label: 'Version', cell: ({ version }) => <span className="font-mono text-mono">{version}</span> },
  {
    id: 'name',
    label: 'Name',
    cell: ({ name }) => name ?? <Chip colour="amber">no file here</Chip>,
  },
]

const OWN: readonly TableColumn<OwnMigration>[] = [
  {
    id: 'name',
    label: 'Migration',
    cell: ({ source, name }) => <span className="font-mono text-mono">{`${source}/${name}`}</span>,
  },
  {
    id: 'at',
    label: 'Applied',
    cell: ({ appliedAt }) => (appliedAt === null ? <Chip colour="amber">pending</Chip> : <TimeAgo at={appliedAt} />),
  },
]
