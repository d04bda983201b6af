import { inLanguages } from '../lib/texts.ts'

/** Texts for users of several workspaces. */
export const workspacesMessages = inLanguages('workspacesMessages', {
  choose: 'Switch workspace',
  all: 'Workspaces',
  start: 'New workspace',
  startDetail: 'You become its owner. Your other workspaces stay as they are.',
  pick: 'Choose a workspace',
  elsewhere: (name: string) => `This table is in the workspace ${name}`,
  open: (name: string) => `Open ${name}`,
})
