# The web app, its worker and the command line in one image; docs/hosting.md, "Docker".
ARG PYTHON=3.11

FROM docker.io/library/python:${PYTHON}-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv --without-pip /opt/clinfo \
 && python -m pip --python /opt/clinfo/bin/python install --no-cache-dir --constraint constraints.txt ".[index,office,plots,web]"

FROM docker.io/library/python:${PYTHON}-slim
# Nothing here installs or compiles.
RUN rm -rf /usr/local/bin/pip* /usr/local/lib/python3*/ensurepip /usr/local/lib/python3*/site-packages/pip* \
 && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin clinfo \
 && install --directory --owner=clinfo --group=clinfo --mode=700 /data /cache
COPY --from=build /opt/clinfo /opt/clinfo
ENV PATH=/opt/clinfo/bin:$PATH PYTHONUNBUFFERED=1 HOME=/data CLINFO_DATA_DIR=/data CLINFO_CACHE_DIR=/cache
USER 10001
WORKDIR /data
VOLUME ["/data", "/cache"]
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ.get(\"PORT\", 8000)}/healthz', timeout=4)"]
CMD ["python", "-m", "webapp", "--host", "0.0.0.0"]
