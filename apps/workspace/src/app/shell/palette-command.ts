import type { ReactNode } from 'react'
import type { Command } from '../../lib/filter-commands.ts'

/** An entry of the palette. */
export interface PaletteCommand extends Command {
  readonly icon?: ReactNode
  readonly detail?: string
  readonly run: () => void
}
