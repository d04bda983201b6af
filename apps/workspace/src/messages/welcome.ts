import { inLanguages } from '../lib/texts.ts'

export const welcomeMessages = inLanguages('welcomeMessages', {
  title: 'Welcome',
  lead: 'Your server is running. How do you want to begin?',
  sample: 'Explore the sample',
  sampleDetail: 'A water company inspects its sites. You are Dana Okafor, who leads the team North.',
  file: 'Start from a spreadsheet',
  fileDetail: 'Make a table of a CSV or Excel file, and choose who sees its records.',
  postgres: 'Connect your Postgres',
  postgresDetail: 'What the policies of your database let people read is what their devices hold.',
  postgresHow: 'How',
  postgresSteps: 'Stop the server, and start it with the address of your database:',
  keyTooOld: 'The link has been used, or is older than 10 minutes',
  keyTooOldDetail:
    'Choose again to sign in with a sample account. The server prints a new link when it is started again.',
  offline: 'To begin, the server has to be reachable. Look whether it is still running.',
})

/** Texts for creating the first workspace of a server or of a user. */
export const ownerMessages = inLanguages('ownerMessages', {
  title: 'Create your workspace',
  lead: 'You become its owner. You can invite others later.',
  workspace: 'Workspace name',
  workspaceHelp: 'Your company or team. Everyone you invite sees it.',
  workspaceMissing: 'Enter a name for the workspace',
  name: 'Your name',
  nameMissing: 'Enter your name',
  create: 'Create workspace',
  signedInAs: (account: string) => `Signed in as ${account}.`,
  offline: 'Creating a workspace needs a connection.',
})
