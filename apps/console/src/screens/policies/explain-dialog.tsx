import { useMutation, useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { AccessExplanation, PolicyIdentity, TableColumnDetails, TableRow } from '@holdfast/protocol'
import { Button, Dialog, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { Verdicts } from './verdicts.tsx'

/** Explains what a user may do with a row, or with a new one. Postgres tries it and rolls back. */
export function ExplainDialog({
  target,
  columns,
  row,
  onClose,
}: {
  readonly target: { readonly schema: string; readonly table: string; readonly as: PolicyIdentity }
  readonly columns: readonly TableColumnDetails[]
  /** The existing row; `undefined` asks about an insert. */
  readonly row: TableRow | undefined
  readonly onClose: () => void
}): JSX.Element {
  const who = target.as.kind === 'anon' ? 'a visitor' : target.as.id
  const address = row?.address ?? undefined
  const existing = useQuery({
    queryKey: ['policies', 'explain', target, address],
    queryFn: ({ signal }) =>
      request<AccessExplanation>('POST /policies/explain', { signal, body: { ...target, address } }),
    enabled: address !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })
  return (
    <Dialog
      title={row ? `Row ${address?.join(', ') ?? ''} as ${who}` : `Insert as ${who}`}
      isOpen
      onClose={onClose}
      size="lg"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-5">
        {row ? (
          <QueryState query={existing} rows={4}>
            {(explanation) => <Verdicts explanation={explanation} />}
          </QueryState>
        ) : null}
        <Proposal target={target} columns={columns} address={address} />
      </div>
    </Dialog>
  )
}

/** Asks about values that the user would write. */
function Proposal({
  target,
  columns,
  address,
}: Pick<Parameters<typeof ExplainDialog>[0], 'target' | 'columns'> & {
  readonly address: readonly string[] | undefined
}): JSX.Element {
  const [values, setValues] = useState(() => sampleOf(columns, address !== undefined))
  const explain = useMutation({
    mutationFn: () =>
      request<AccessExplanation>('POST /policies/explain', {
        body: { ...target, values, ...(address && { address }) },
      }),
  })
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!explain.isPending) explain.mutate()
      }}
    >
      <TextField
        label={address ? 'Values of an update' : 'Values of the new row'}
        description="A JSON object. Columns that you leave out keep their value or get their default. Nothing is stored."
        value={values}
        onChange={setValues}
        rows={5}
        isMono
        spellCheck={false}
      />
      <div>
        <Button type="submit" isPending={explain.isPending}>
          {address ? 'May they update it so?' : 'May they insert it?'}
        </Button>
      </div>
      <div role="status">{explain.data ? <Verdicts explanation={explain.data} /> : null}</div>
      <FormError error={explain.error} />
    </form>
  )
}

/** Starts with the columns that a new row needs, or the first one that an update may change. */
function sampleOf(columns: readonly TableColumnDetails[], isUpdate: boolean): string {
  const writable = columns.filter(({ isGenerated }) => !isGenerated)
  const named = isUpdate
    ? writable.slice(1, 2)
    : writable.filter((column) => !column.isNullable && column.default === null)
  return JSON.stringify(Object.fromEntries(named.map(({ name }) => [name, null])), undefined, 2)
}
