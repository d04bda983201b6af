import { ArrowUpRight, Check, Circle, type LucideIcon, Spline, Undo2 } from 'lucide-react'
import type { JSX } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup'
import { Button } from '../../components/button.tsx'
import { drawingMessages as words } from '../../messages/drawing.ts'
import type { Tool } from './use-drawing.ts'

const TOOLS: readonly (readonly [Tool, LucideIcon])[] = [
  ['circle', Circle],
  ['arrow', ArrowUpRight],
  ['line', Spline],
]

/** Drawing tools with undo. Each shape is stored when the finger is lifted. */
export function PhotoTools({
  tool,
  canUndo,
  onTool,
  onUndo,
  onDone,
}: {
  readonly tool: Tool
  readonly canUndo: boolean
  readonly onTool: (tool: Tool) => void
  readonly onUndo: () => void
  readonly onDone: () => void
}): JSX.Element {
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-border px-3 py-1.5">
      <ToggleButtonGroup
        aria-label={words.tools}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[tool]}
        onSelectionChange={([key]) => {
          const next = TOOLS.find(([one]) => one === key)?.[0]
          if (next) onTool(next)
        }}
        className="flex gap-1"
      >
        {TOOLS.map(([one, Icon]) => (
          <ToggleButton
            key={one}
            id={one}
            className="inline-flex h-8 items-center gap-1.5 rounded-md px-2.5 text-small text-muted data-hovered:bg-hover data-selected:bg-accent-soft data-selected:text-accent coarse:h-11"
          >
            <Icon size={16} aria-hidden />
            {words.tool[one]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <span className="flex-1" />
      <Button size="sm" isDisabled={!canUndo} icon={<Undo2 size={16} aria-hidden />} onPress={onUndo}>
        {words.undo}
      </Button>
      <Button size="sm" tone="primary" icon={<Check size={16} aria-hidden />} onPress={onDone}>
        {words.done}
      </Button>
    </div>
  )
}
