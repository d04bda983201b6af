import { useMutation } from '@tanstack/react-query'
import type { JSX } from 'react'
import type { DeviceComparison } from '@holdfast/protocol'
import { Button, Notice, Section } from '@holdfast/workspace'
import { DataTable } from '../../components/data-table.tsx'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'

type Difference = DeviceComparison['differences'][number]

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  missing: 'missing on the device',
  extra: 'Postgres does not show it',
  different: 'different values',
}

/** Compares the rows that the server sends a device with what Postgres shows its user. */
export function CompareDevice({
  path,
  isConnected,
}: {
  readonly path: string
  readonly isConnected: boolean
}): JSX.Element {
  const compare = useMutation({ mutationFn: () => request<DeviceComparison>(`POST ${path}/compare`) })
  return (
    <Section
      title="Compare with the database"
      description="Compares the rows in the device's buckets with what Postgres shows its user. A device checks the sum of every bucket before it shows it. To check its own file, the user can open Check this device in the app."
      action={
        <Button size="sm" isDisabled={!isConnected} isPending={compare.isPending} onPress={() => compare.mutate()}>
          Compare
        </Button>
      }
    >
      <FormError error={compare.error} />
      {compare.data ? (
        <Result comparison={compare.data} />
      ) : isConnected ? null : (
        <p className="text-muted">The device has to be connected.</p>
      )}
    </Section>
  )
}

function Result({ comparison }: { readonly comparison: DeviceComparison }): JSX.Element {
  const rows = Object.values(comparison.tables).reduce((sum, count) => sum + count, 0)
  return (
    <div className="flex flex-col gap-3">
      {comparison.equal ? (
        <Notice tone="success" role="status" title="Equal">
          {formatCount(rows)} rows in {formatCount(comparison.buckets)} buckets are what Postgres shows this user.
        </Notice>
      ) : (
        <Notice tone="danger" role="alert" title="Not equal">
          {formatCount(comparison.differences.length + comparison.differencesMore)} rows differ, and stayed so for a
          second. Resync the device. If they differ again, report it as a bug in Holdfast.
        </Notice>
      )}
      {Object.entries(comparison.failing).map(([table, error]) => (
        <Notice key={table} tone="warning" title={`The user cannot read ${table}`}>
          {error}
        </Notice>
      ))}
      {comparison.differences.length === 0 ? null : (
        <DataTable
          label="Differences"
          rows={comparison.differences}
          keyOf={({ table, id }) => `${table} ${id}`}
          columns={[
            { id: 'table', label: 'Table', cell: ({ table }) => table },
            { id: 'id', label: 'Row', cell: ({ id }) => id },
            { id: 'kind', label: 'Difference', cell: ({ kind }) => KINDS[kind] },
          ]}
        />
      )}
    </div>
  )
}
