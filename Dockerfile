# gw in a container: the program from its sources, which Node runs as they are, and the management UI, which is built. Without root, and on a
# root filesystem that is only read: /var/lib/gw and /tmp are what it writes.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=optional
COPY . .
RUN npm run build:ui && npm run docs:build && npm prune --omit=dev --omit=optional

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="gw" \
      org.opencontainers.image.description="An LLM inference gateway with an event-sourced control plane" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 gw \
 && useradd --uid 10001 --gid gw --no-create-home --home-dir /var/lib/gw gw \
 && install --directory --owner=gw --group=gw /var/lib/gw
WORKDIR /opt/gw
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/events ./events
COPY --from=build /build/projections ./projections
COPY --from=build /build/migrations ./migrations
COPY --from=build /build/src ./src
COPY --from=build /build/extensions ./extensions
COPY --from=build /build/ui ./ui
COPY --from=build /build/help ./help
RUN chmod 0755 src/main.ts && ln -s /opt/gw/src/main.ts /usr/local/bin/gw
ENV NODE_ENV=production \
    GW_HOST=0.0.0.0
USER 10001:10001
VOLUME /var/lib/gw
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["gw", "healthcheck"]
ENTRYPOINT ["gw"]
