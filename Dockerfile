# One node. Everything it needs to know comes from the environment: see docs/operations.md.
#   docker build -t parley .                                              Redis and DynamoDB
#   docker build -t parley --build-arg PARTS="aws push tracing" .         with what some settings need, see "The image" there

# The digest is that of the list of all platforms, as `docker buildx imagetools inspect node:24.18.0-bookworm-slim` prints it. Both stages have the same.
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
ARG PARTS=""
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY demo demo
COPY console console
RUN npm run build && scripts/image-contents.sh "$PARTS"

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="A chat backend as a GraphQL API: one node" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:24.18.0-bookworm-slim"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000
WORKDIR /app
COPY --from=build /app/image /app
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
# That it lives, not that it is ready: a node that waits for Redis must not be restarted for it.
HEALTHCHECK --interval=15s --timeout=3s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
