import type { DashboardTile } from '@holdfast/protocol'
import { type JSX, type ReactNode, useEffect } from 'react'
import { Skeleton } from '../../../components/skeleton.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'

export type FigureRows = readonly (readonly string[])[]

/** What every kind of tile is given. */
export interface ShownTile {
  readonly tile: DashboardTile
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly workspace: string
  readonly title: string
  /** Tiles out of sight calculate nothing. */
  readonly isSeen: boolean
  /** Shows the figures in place of the chart. */
  readonly isTable: boolean
  /** Fills the page. */
  readonly isAlone: boolean
  /** Reports the figures, for the export. */
  readonly onFigures: (figures: FigureRows | undefined) => void
}

/** The content of a tile, or why there is none. Reports the figures. */
export function Figures({
  error,
  isLoading,
  isEmpty,
  figures,
  onFigures,
  children,
}: {
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly isEmpty: boolean
  readonly figures: FigureRows | undefined
  readonly onFigures: (figures: FigureRows | undefined) => void
  readonly children: ReactNode
}): JSX.Element {
  const text = JSON.stringify(isEmpty ? undefined : figures)
  // The menu of the tile exports them.
  useEffect(() => onFigures(text === undefined ? undefined : (JSON.parse(text) as FigureRows)), [text, onFigures])
  if (error) return <TileNote title={words.failed}>{error.message}</TileNote>
  if (isLoading) return <Skeleton rows={3} />
  return isEmpty ? <TileNote title={words.noRecords}>{words.noRecordsDetail}</TileNote> : <>{children}</>
}

/** Explains what a tile does not show. */
export function TileNote({ title, children }: { readonly title: string; readonly children?: ReactNode }): JSX.Element {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-1 overflow-auto p-2 text-center">
      <p className="text-body font-medium text-muted">{title}</p>
      {children === undefined ? null : <p className="text-small text-muted">{children}</p>}
    </div>
  )
}
