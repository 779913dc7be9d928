//! Start-up and reconfiguration: what formats unpackers, matrix unit and packers work with.

use tilewright_machine::{PackMode, Site, SourceId};

use crate::api::Compute;

impl Compute<'_> {
    /// Configures the whole compute side: SrcA from `icb0`, SrcB from `icb1`, packing to `ocb`.
    /// Must come once, before any other compute operation.
    #[inline]
    #[track_caller]
    pub fn compute_kernel_hw_startup(&self, icb0: u8, icb1: u8, ocb: u8) {
        self.context.start_up(Site::here());
        self.hw_configure(icb0, icb1, ocb);
    }

    /// The same as older calls contain it that are an operation's init as well, such as tt-metal's
    /// former `unary_bcast_init`: kernels make those in their loops, too.
    #[inline]
    #[track_caller]
    pub fn hw_configure(&self, icb0: u8, icb1: u8, ocb: u8) {
        let site = Site::here();
        self.set_unpack_formats(site, SourceId::A, icb0);
        self.set_unpack_formats(site, SourceId::B, icb1);
        self.on_math(|context| context.start_math(site));
        self.set_alu_format(site, SourceId::A, icb0);
        self.set_alu_format(site, SourceId::B, icb1);
        self.set_pack_formats(site, ocb);
        self.on_pack(|context| {
            context.configure_pack(site, PackMode::Tile);
            context.start_pack(site);
        });
        self.context.started_up(site);
    }

    /// SrcA now comes from a buffer like `icb0`, SrcB from one like `icb1`.
    #[inline]
    #[track_caller]
    pub fn reconfig_data_format(&self, icb0: u8, icb1: u8) {
        let site = Site::here();
        self.set_source_format(site, SourceId::A, icb0);
        self.set_source_format(site, SourceId::B, icb1);
    }

    /// SrcA now comes from a buffer like `icb`.
    #[inline]
    #[track_caller]
    pub fn reconfig_data_format_srca(&self, icb: u8) {
        self.set_source_format(Site::here(), SourceId::A, icb);
    }

    /// SrcB now comes from a buffer like `icb`.
    #[inline]
    #[track_caller]
    pub fn reconfig_data_format_srcb(&self, icb: u8) {
        self.set_source_format(Site::here(), SourceId::B, icb);
    }

    /// The matrix unit alone takes SrcA and SrcB to be like these buffers; unpackers stay.
    #[inline]
    #[track_caller]
    pub fn reconfig_alu_data_format(&self, icb0: u8, icb1: u8) {
        let site = Site::here();
        self.set_alu_format(site, SourceId::A, icb0);
        self.set_alu_format(site, SourceId::B, icb1);
    }

    /// Packing now goes to a buffer like `ocb`.
    #[inline]
    #[track_caller]
    pub fn pack_reconfig_data_format(&self, ocb: u8) {
        self.set_pack_formats(Site::here(), ocb);
    }

    fn set_source_format(&self, site: Site, source: SourceId, icb: u8) {
        self.set_unpack_formats(site, source, icb);
        self.set_alu_format(site, source, icb);
    }

    pub(crate) fn set_unpack_formats(&self, site: Site, source: SourceId, icb: u8) {
        self.on_unpack(|context| {
            let formats = self.formats_of(site, icb).unpack;
            context.configure_unpack_formats(site, source, formats);
        });
    }

    pub(crate) fn set_alu_format(&self, site: Site, source: SourceId, icb: u8) {
        self.on_math(|context| {
            let register = self.formats_of(site, icb).unpack.register;
            context.configure_alu_format(site, source, register);
        });
    }

    pub(crate) fn set_pack_formats(&self, site: Site, ocb: u8) {
        self.on_pack(|context| {
            let formats = self.formats_of(site, ocb).pack;
            context.configure_pack_formats(site, formats);
        });
    }
}
