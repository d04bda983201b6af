import { useRecords } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { type JSX, useRef } from 'react'
import { MapGround } from '../../../components/map-ground.tsx'
import { useSize } from '../../../hooks/use-size.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import type { Condition, FilterGroup } from '../../../lib/filters/filter.ts'
import { formatCount } from '../../../lib/format.ts'
import { degreesSql, pointFieldsOf, type PointFields } from '../../../lib/map/point-fields.ts'
import { type Bounds, type Camera, fitTo, type Size, toScreen } from '../../../lib/map/projection.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { DataTable } from '../charts/data-table.tsx'
import { MarkLink } from '../charts/mark-link.tsx'
import { allOf } from '../data/drill.ts'
import { tileWhereSql, type TileQuery } from '../data/tile-sql.ts'
import { TILE_PAUSE_MS } from '../data/use-tile.ts'
import { Figures, type ShownTile, TileNote } from './shown-tile.tsx'

/** Side in pixels of a cell whose records are one spot. */
const CELL_PX = 44
/** Distance in degrees that rounding may move a record's position. */
const EDGE = 1e-7

interface Spot {
  readonly id: string
  readonly title: string | null
  readonly n: number
  readonly lon: number
  readonly lat: number
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** The places of the records on a ground that works offline. */
export function MapTile(props: ShownTile & { readonly query: TileQuery }): JSX.Element {
  const point = pointFieldsOf(props.fields, props.tile.point)
  return point ? <Places {...props} point={point} /> : <TileNote title={words.noPoint} />
}

type PlacesProps = ShownTile & { readonly query: TileQuery; readonly point: PointFields }

function Places(props: PlacesProps): JSX.Element {
  const { query, point, isSeen, isTable, title, onFigures } = props
  const element = useRef<HTMLDivElement>(null)
  const size = useSize(element)
  const extentAsked = extentSql(query, point)
  const extent = useRecords<Bounds & { readonly n: number }>(
    isSeen ? extentAsked.text : '',
    isSeen ? extentAsked.values : [],
    { throttleMs: TILE_PAUSE_MS },
  )
  const [bounds] = extent.rows
  const camera = bounds && bounds.n > 0 && size && size.width > 0 ? fitTo(bounds, size) : undefined
  const asked = camera && isSeen ? spotsSql(props, camera) : { text: '', values: [] }
  const spots = useRecords<Spot>(asked.text, asked.values, { throttleMs: TILE_PAUSE_MS })
  const figures = [
    [words.place, words.measures.count],
    ...spots.rows.map((spot) => [nameOf(spot), formatCount(spot.n)]),
  ]
  const error = extent.error ?? spots.error
  if (error || (bounds && bounds.n === 0)) {
    return (
      <Figures {...{ error, figures: undefined, onFigures }} isLoading={false} isEmpty={false}>
        <TileNote title={words.noPlaces} />
      </Figures>
    )
  }
  return (
    <Figures {...{ error, figures, onFigures }} isLoading={false} isEmpty={false}>
      <div
        ref={element}
        className={isTable ? 'hidden' : 'relative min-h-0 flex-1 overflow-hidden rounded-md bg-sunken'}
      >
        {camera && size ? (
          <>
            <MapGround camera={camera} size={size} />
            <Spots {...props} {...{ camera, size }} spots={spots.rows} />
          </>
        ) : null}
      </div>
      <DataTable caption={title} rows={figures} isHidden={!isTable} />
    </Figures>
  )
}

function nameOf({ n, title, id }: Spot): string {
  return n === 1 ? (title ?? id.slice(0, 8)) : words.spot(n)
}

function Spots({
  query,
  point,
  table,
  workspace,
  spots,
  camera,
  size,
}: PlacesProps & { readonly spots: readonly Spot[]; readonly camera: Camera; readonly size: Size }): JSX.Element {
  return (
    <ul className="contents">
      {spots.map((spot) => {
        const { x, y } = toScreen(spot, camera, size)
        const isOne = spot.n === 1
        const look = isOne ? (
          <span className="size-3.5 rounded-full border-2 border-bg bg-accent ring-1 ring-accent" />
        ) : (
          <span className="grid min-w-6 place-items-center rounded-full border-2 border-bg bg-accent px-1.5 py-0.5 text-small font-medium text-on-accent tabular-nums">
            {formatCount(spot.n)}
          </span>
        )
        const className = 'grid size-8 -translate-1/2 place-items-center rounded-full no-underline coarse:size-11'
        return (
          <li key={spot.id} className="absolute top-0 left-0" style={{ transform: `translate(${x}px, ${y}px)` }}>
            {isOne ? (
              <Link
                to="/w/$ws/t/$table/r/$record"
                params={{ ws: workspace, table: table.name, record: spot.id }}
                aria-label={nameOf(spot)}
                title={nameOf(spot)}
                className={className}
              >
                {look}
              </Link>
            ) : (
              <MarkLink
                {...{ workspace, className }}
                table={table.name}
                filter={spotFilter(query, point, spot)}
                label={nameOf(spot)}
                isFirst
              >
                {look}
              </MarkLink>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Returns the filter of a spot's records, if two number fields hold the position. */
function spotFilter(query: TileQuery, point: PointFields, { west, east, south, north }: Spot): FilterGroup | undefined {
  if (point.kind !== 'pair') return undefined
  const between = (field: string, low: number, high: number): readonly Condition[] => [
    { kind: 'condition', field, operator: 'gte', values: [String(low - EDGE)] },
    { kind: 'condition', field, operator: 'lte', values: [String(high + EDGE)] },
  ]
  return allOf(query.fields, [
    query.filter,
    { kind: 'all', nodes: [...between(point.lon.name, west, east), ...between(point.lat.name, south, north)] },
  ])
}

function extentSql(query: TileQuery, point: PointFields): SqlPart {
  const { lon, lat } = degreesSql(point)
  const where = tileWhereSql(query)
  return {
    text: `select min(lon) as west, max(lon) as east, min(lat) as south, max(lat) as north, count(lon) as n
             from (select ${lon} as lon, ${lat} as lat from ${tableSql(query)}${where.text})
            where lon between -180 and 180 and lat between -85 and 85`,
    values: where.values,
  }
}

function spotsSql({ query, point, table }: PlacesProps, { zoom }: Camera): SqlPart {
  const { lon, lat } = degreesSql(point)
  const where = tileWhereSql(query)
  const step = (CELL_PX * 360) / (256 * 2 ** zoom)
  const titleField = query.fields.find(({ isTitle }) => isTitle)
  const title =
    titleField === undefined
      ? 'null'
      : titleField.link
        ? labelSql(titleField, `t.${quoteName(titleField.name)}`)
        : `t.${quoteName(titleField.name)}`
  return {
    text: `with spots as (
        select min(id) as id, count(*) as n, avg(lon) as lon, avg(lat) as lat, min(lon) as west, max(lon) as east, min(lat) as south, max(lat) as north
          from (select t.id as id, ${lon} as lon, ${lat} as lat from ${tableSql(query)}${where.text})
         where lon between -180 and 180 and lat between -85 and 85
         group by cast((lon + 360) / ? as integer), cast((lat + 180) / ? as integer))
      select s.*, (select ${title} from ${quoteName(table.name)} t where t.id = s.id) as title from spots s order by s.lat desc, s.lon limit 500`,
    values: [...where.values, step, step * 0.7],
  }
}
