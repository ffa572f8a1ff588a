import { Panes } from './panes.tsx'
import { useRoute } from './parts/use-route.ts'
import { sampleName } from './people.ts'
import { Session } from './session.tsx'
import { Welcome } from './welcome/welcome.tsx'

export function App() {
  const route = useRoute()
  if (!route.as) return <Welcome />
  return (
    <Session key={route.as} userId={route.as} name={route.name ?? sampleName(route.as)}>
      <Panes route={{ ...route, as: route.as }} />
    </Session>
  )
}
