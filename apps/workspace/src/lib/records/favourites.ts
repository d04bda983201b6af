import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { FAVOURITES_TABLE } from '../data/favourites-table.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { favouriteMessages as words } from '../../messages/favourites.ts'
import type { NewCommand, RecordValues } from './record-change.ts'

/** A favourite record or view. */
export interface FavouriteTarget {
  readonly kind: 'record' | 'view'
  readonly table: string
  readonly id: string
}

interface FavouriteRow {
  readonly id: string
  readonly owner_id: string
  readonly kind: FavouriteTarget['kind']
  readonly table_name: string
  readonly target_id: string
  readonly position: number
}

/** Whether the project has a favourites table. */
export function useHasFavourites(): boolean {
  return useSchema().tables.some(({ name }) => name === FAVOURITES_TABLE)
}

/** Returns the user's favourites in order, deduplicated: two devices may have added the same. */
export function useFavourites(): { readonly targets: readonly FavouriteTarget[]; readonly isLoading: boolean } {
  const isThere = useHasFavourites()
  const { rows, isLoading } = useRecords<FavouriteTarget>(
    isThere
      ? `select kind, table_name as "table", target_id as id from ${FAVOURITES_TABLE}
          group by kind, table_name, target_id order by min(position), min(created_at)`
      : '',
  )
  return { targets: rows, isLoading: isThere && isLoading }
}

/**
 * Returns whether a record or view is a favourite, and the command to toggle it.
 *
 * @returns `undefined` while unknown, and without a favourites table
 */
export function useFavourite(
  target: FavouriteTarget,
): { readonly isFavourite: boolean; readonly toggle: () => NewCommand } | undefined {
  const { userId } = useLocalDatabase()
  const isThere = useHasFavourites()
  const { rows, isCurrent } = useRecords<FavouriteRow>(
    isThere
      ? `select id, owner_id, kind, table_name, target_id, position from ${FAVOURITES_TABLE}
          where kind = ? and table_name = ? and target_id = ?`
      : '',
    [target.kind, target.table, target.id],
  )
  if (!isThere || !isCurrent) return undefined
  return {
    isFavourite: rows.length > 0,
    toggle: () => (rows.length > 0 ? removeFavourite(rows) : addFavourite(target, userId)),
  }
}

function addFavourite({ kind, table, id }: FavouriteTarget, userId: string): NewCommand {
  const values: RecordValues = { owner_id: userId, kind, table_name: table, target_id: id, position: 0 }
  return { label: words.add, changes: [{ kind: 'insert', table: FAVOURITES_TABLE, id: uuidV7(), values }] }
}

function removeFavourite(rows: readonly FavouriteRow[]): NewCommand {
  return {
    label: words.remove,
    changes: rows.map(({ id, ...values }) => ({
      kind: 'delete',
      table: FAVOURITES_TABLE,
      id,
      values: { ...values },
    })),
  }
}
