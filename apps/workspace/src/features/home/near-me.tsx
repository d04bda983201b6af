import { useRecords, useSchema } from '@holdfast/react'
import { LocateFixed } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TableIcon } from '../../components/table-icon.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { formatMetres } from '../../lib/format.ts'
import {
  metresBetween,
  nearestSql,
  type Position,
  type PositionColumns,
  positionOf,
} from '../../lib/fields/located-tables.ts'
import { workMessages as words } from '../../messages/work.ts'
import { RecordLine } from '../../components/records/record-line.tsx'

const SHOWN_MAX = 5
/** Timeout in ms. Receivers are slow under a roof, but a user does not wait longer. */
const LOCATE_MS = 20_000
/** Age in ms up to which a known position is reused. */
const LOCATED_MS = 60_000

type Located =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'failed'; readonly why: 'denied' | 'unavailable' }
  | { readonly kind: 'here'; readonly position: Position; readonly accuracy: number }

/** The records nearest to this device. Its position is requested only on a press and never leaves this screen. */
export function NearMe({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const [located, setLocated] = useState<Located>({ kind: 'unasked' })
  const tables = usePlaces()
  if (tables.length === 0 || !('geolocation' in navigator)) return null
  const locate = (): void => {
    setLocated({ kind: 'asking' })
    navigator.geolocation.getCurrentPosition(
      ({ coords }) =>
        setLocated({
          kind: 'here',
          position: { lat: coords.latitude, lon: coords.longitude },
          accuracy: coords.accuracy,
        }),
      ({ code, PERMISSION_DENIED }) =>
        setLocated({ kind: 'failed', why: code === PERMISSION_DENIED ? 'denied' : 'unavailable' }),
      { enableHighAccuracy: true, timeout: LOCATE_MS, maximumAge: LOCATED_MS },
    )
  }
  return (
    <section aria-labelledby="home-near">
      <h2 id="home-near" className="pb-2 text-heading">
        {words.near}
      </h2>
      {located.kind === 'here' ? (
        <>
          {tables.map(({ table, columns }) => (
            <Nearest key={table.name} {...{ workspace, table, columns, from: located.position }} />
          ))}
          <p className="px-1 pt-1.5 text-small text-muted">{words.accuracy(formatMetres(located.accuracy))}</p>
        </>
      ) : (
        <div className="flex flex-col items-start gap-2">
          <p role="status" className="text-small text-muted">
            {located.kind === 'failed' ? words.notLocated[located.why] : words.nearDetail}
          </p>
          <Button size="sm" isDisabled={located.kind === 'asking'} onPress={locate}>
            <LocateFixed size={16} aria-hidden /> {located.kind === 'asking' ? words.locating : words.locate}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Returns the tables whose records are places: they have positions, and other tables link to them. Photos have positions but are not places. */
function usePlaces(): readonly { readonly table: TableInfo; readonly columns: PositionColumns }[] {
  const schema = useSchema()
  return useTables().flatMap((table) => {
    const isPlace = schema.tables.some(({ columns }) =>
      columns.some(({ references }) => references?.table === table.name),
    )
    const columns = isPlace && !table.isSupporting ? positionOf(table.descriptor) : undefined
    return columns ? [{ table, columns }] : []
  })
}

interface NearRow {
  readonly id: string
  readonly title: string | number | null
  readonly lat: number
  readonly lon: number
}

function Nearest({
  workspace,
  table,
  columns,
  from,
}: {
  readonly workspace: string
  readonly table: TableInfo
  readonly columns: PositionColumns
  readonly from: Position
}): JSX.Element {
  const { sql, parameters } = nearestSql(table.descriptor, columns, table.titleColumn, from, SHOWN_MAX)
  const { rows } = useRecords<NearRow>(sql, parameters)
  return (
    <ul aria-label={table.label} className="flex flex-col">
      {rows.map((row) => (
        <RecordLine
          key={row.id}
          workspace={workspace}
          table={table.name}
          id={row.id}
          before={<TableIcon table={table} />}
          title={row.title === null ? shortId(row.id) : String(row.title)}
          detail={formatMetres(metresBetween(from, row))}
        />
      ))}
    </ul>
  )
}
