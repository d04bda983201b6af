import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { BucketPolicy, ListedBucket, PolicyScope } from '@holdfast/protocol'
import { Chip, Notice, NoRows } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'

/** The policies on `storage.objects`, those that name this bucket first. */
export function PoliciesTab({ bucket: { id, isPublic } }: { readonly bucket: ListedBucket }): JSX.Element {
  const query = useQuery({
    queryKey: ['files', 'policies', id],
    queryFn: ({ signal }) =>
      request<{ policies: readonly BucketPolicy[] }>(`GET /files/policies${queryOf({ bucket: id })}`, { signal }),
  })
  return (
    <div className="flex flex-col gap-3">
      {isPublic ? (
        <Notice title="Reading needs no policy">
          The bucket is public: whoever has a file’s address reads it. Policies decide about lists, uploads, changes and
          deletions.
        </Notice>
      ) : null}
      <p className="text-small text-muted">
        Policies are on all files of all buckets. Edit them in the{' '}
        <Link
          to="/tables"
          search={{ schema: 'storage', table: 'objects', tab: 'structure' }}
          className="text-accent underline"
        >
          table storage.objects
        </Link>{' '}
        or in SQL.
      </p>
      <QueryState query={query}>
        {({ policies }) =>
          policies.length === 0 ? (
            <NoRows>No policies: users reach no files here{isPublic ? ' except by address' : ''}</NoRows>
          ) : (
            <DataTable
              label="Policies"
              columns={COLUMNS}
              rows={policies.toSorted((a, b) => ORDER.indexOf(a.scope) - ORDER.indexOf(b.scope))}
              keyOf={({ name }) => name}
            />
          )
        }
      </QueryState>
    </div>
  )
}

const ORDER: readonly PolicyScope[] = ['this', 'any', 'others']

const SCOPES = {
  this: <Chip colour="green">this bucket</Chip>,
  any: <Chip colour="slate">no bucket</Chip>,
  others: <Chip colour="slate">others</Chip>,
} as const

const COLUMNS: readonly TableColumn<BucketPolicy>[] = [
  { id: 'name', label: 'Policy', cell: ({ name }) => name },
  { id: 'scope', label: 'Names', cell: ({ scope }) => SCOPES[scope] },
  {
    id: 'command',
    label: 'Command',
    cell: ({ command, isPermissive }) => `${command}${isPermissive ? '' : ' (restrictive)'}`,
  },
  { id: 'roles', label: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { id: 'using', label: 'Using', cell: ({ using }) => <Expression text={using} /> },
  { id: 'check', label: 'Check', cell: ({ check }) => <Expression text={check} /> },
]

function Expression({ text }: { readonly text: string | null }): JSX.Element | string {
  return text === null ? '–' : <code className="font-mono text-mono [overflow-wrap:anywhere]">{text}</code>
}
