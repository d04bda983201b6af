import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { ComponentType, JSX, ReactNode } from 'react'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import { shellMessages as words } from '../../messages/shell.ts'

export interface AutomationsLinkProps {
  /** The part of the app's URLs that names the workspace. */
  readonly ws: string
  readonly isNarrow: boolean
  readonly className: string
  readonly onFollow: (() => void) | undefined
  /** Parts of the side bar. */
  readonly Item: ComponentType<{ label: string; isNarrow: boolean; children: JSX.Element }>
  readonly Word: ComponentType<{ isNarrow: boolean; children: ReactNode }>
}

/** The side bar's link to the automations, for owners and admins. */
export function AutomationsLink(props: AutomationsLinkProps): JSX.Element | null {
  const { ws, isNarrow, className, onFollow, Item, Word } = props
  const current = useWorkspace()
  if (!current || !canChange(current)) return null
  return (
    <li>
      <Item label={words.automations} isNarrow={isNarrow}>
        <Link to="/w/$ws/automations" params={{ ws }} className={className} {...(onFollow && { onClick: onFollow })}>
          <Zap size={18} strokeWidth={1.75} aria-hidden />
          <Word isNarrow={isNarrow}>{words.automations}</Word>
        </Link>
      </Item>
    </li>
  )
}
