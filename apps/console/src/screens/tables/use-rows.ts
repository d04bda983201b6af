import { useInfiniteQuery, useMutation, type UseMutationResult } from '@tanstack/react-query'
import type {
  RowChangeOutcome,
  RowFilter,
  RowSort,
  TableCell,
  TableIdentity,
  TablePage,
  TableRow,
} from '@holdfast/protocol'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

export interface RowsTarget {
  readonly schema: string
  readonly table: string
  readonly as: TableIdentity
}

/** Every read of rows is in the audit log, so none happens by itself. */
export const AUDITED_READ = {
  staleTime: Infinity,
  gcTime: 0,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
  retry: false,
} as const

/** Reads pages of rows. */
export function useRows(target: RowsTarget, filters: readonly RowFilter[], sort: RowSort | undefined) {
  return useInfiniteQuery({
    queryKey: ['rows', target, filters, sort],
    queryFn: ({ pageParam, signal }) =>
      request<TablePage>('POST /tables/rows', {
        signal,
        body: { ...target, filters, sort, ...(pageParam !== undefined && { after: pageParam }) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...AUDITED_READ,
  })
}

export type RowAction = 'insert' | 'update' | 'delete'

/** Changes rows, and reads the list again once a change is done. */
export function useRowChange(
  action: RowAction,
  target: RowsTarget,
): UseMutationResult<RowChangeOutcome, Error, Readonly<Record<string, unknown>>> {
  return useMutation({
    mutationFn: (change: Readonly<Record<string, unknown>>) =>
      request<RowChangeOutcome>(`POST /tables/rows/${action}`, { body: { ...target, ...change } }),
    onSuccess: async ({ state }) => {
      if (state === 'done') await queryClient.invalidateQueries({ queryKey: ['rows', target] })
    },
  })
}

/** Reads a value whole. */
export async function readValue(target: RowsTarget, { address }: TableRow, column: string): Promise<string | null> {
  const { value } = await request<{ readonly value: string | null }>('POST /tables/value', {
    body: { ...target, address, column },
  })
  return value
}

/** Returns the text of a cell as far as it is known. */
export function textOf(cell: TableCell | undefined): string | null {
  return typeof cell === 'object' && cell !== null ? cell.start : (cell ?? null)
}
